//===- Lexer.cpp - PTX tokens -----------------------------------*- C++ -*-===//
//
// Identifiers keep their dots and double colons, so that an instruction with
// its modifiers and a special register such as %tid.x are one token each.
//
//===----------------------------------------------------------------------===//

#include "Ptx.h"

#include <cstdlib>
#include <cstring>

namespace bsmm::emulator::ptx {

static bool isIdentifierStart(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
         c == '$' || c == '%';
}

static bool isDigit(char c) { return c >= '0' && c <= '9'; }

static bool isIdentifier(char c) { return isIdentifierStart(c) || isDigit(c); }

static int hexDigit(char c) {
  if (isDigit(c))
    return c - '0';
  if (c >= 'a' && c <= 'f')
    return c - 'a' + 10;
  if (c >= 'A' && c <= 'F')
    return c - 'A' + 10;
  return -1;
}

namespace {
class Lexer {
public:
  Lexer(std::string_view text, std::vector<Token> &tokens, SourceError &error)
      : text(text), tokens(tokens), error(error) {}

  bool run() {
    while (true) {
      if (!skipBlanks())
        return false;
      if (position >= text.size()) {
        push(TokenKind::End, position);
        return true;
      }
      if (!next())
        return false;
    }
  }

private:
  char peek(size_t ahead = 0) const {
    return position + ahead < text.size() ? text[position + ahead] : '\0';
  }

  bool fail(const std::string &message) {
    error.line = line;
    error.message = message;
    return false;
  }

  Token &push(TokenKind kind, size_t start) {
    Token token;
    token.kind = kind;
    token.line = line;
    token.text = text.substr(start, position - start);
    tokens.push_back(token);
    return tokens.back();
  }

  bool skipBlanks() {
    while (position < text.size()) {
      char c = text[position];
      if (c == '\n') {
        ++line;
        ++position;
      } else if (c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v') {
        ++position;
      } else if (c == '/' && peek(1) == '/') {
        while (position < text.size() && text[position] != '\n')
          ++position;
      } else if (c == '/' && peek(1) == '*') {
        uint32_t first = line;
        position += 2;
        while (position < text.size() &&
               !(text[position] == '*' && peek(1) == '/')) {
          if (text[position] == '\n')
            ++line;
          ++position;
        }
        if (position >= text.size()) {
          line = first;
          return fail("comment is never closed");
        }
        position += 2;
      } else if (c == '#') {
        // Preprocessor line markers say nothing about execution.
        while (position < text.size() && text[position] != '\n')
          ++position;
      } else {
        return true;
      }
    }
    return true;
  }

  bool next() {
    size_t start = position;
    char c = peek();
    if (isIdentifierStart(c)) {
      // A lone % can only be the modulo operator of a constant expression.
      ++position;
      scanIdentifier();
      push(TokenKind::Identifier, start);
      return true;
    }
    if (c == '.' && isIdentifierStart(peek(1))) {
      ++position;
      while (isIdentifier(peek()) ||
             (peek() == ':' && peek(1) == ':' && isIdentifier(peek(2)) &&
              (position += 1, true)))
        ++position;
      push(TokenKind::Directive, start);
      return true;
    }
    if (isDigit(c) || (c == '.' && isDigit(peek(1))))
      return number();
    if (c == '"') {
      ++position;
      while (position < text.size() && text[position] != '"') {
        if (text[position] == '\\')
          ++position;
        if (position < text.size() && text[position] == '\n')
          ++line;
        ++position;
      }
      if (position >= text.size()) {
        position = text.size();
        return fail("string is never closed");
      }
      ++position;
      push(TokenKind::String, start);
      return true;
    }
    if (std::strchr("{}[]()<>,;:=+-*/|&!@~^?", c) && c != '\0') {
      ++position;
      push(TokenKind::Punctuation, start).punctuation = c;
      return true;
    }
    char shown[8] = {c, 0};
    if (c < ' ' || c > '~')
      std::snprintf(shown, sizeof(shown), "0x%02x",
                    static_cast<unsigned char>(c));
    return fail(std::string("unexpected character '") + shown + "'");
  }

  void scanIdentifier() {
    while (true) {
      char c = peek();
      if (isIdentifier(c) && c != '%')
        ++position;
      else if (c == '.' && isIdentifier(peek(1)) && peek(1) != '%')
        ++position;
      else if (c == ':' && peek(1) == ':' && isIdentifier(peek(2)))
        position += 2;
      else
        return;
    }
  }

  bool number() {
    size_t start = position;
    char c = peek();
    char second = peek(1);
    // 0fXXXXXXXX and 0dXXXXXXXXXXXXXXXX hold the bits themselves.
    if (c == '0' &&
        (second == 'f' || second == 'F' || second == 'd' || second == 'D')) {
      bool isDouble = second == 'd' || second == 'D';
      unsigned digits = isDouble ? 16 : 8;
      uint64_t bits = 0;
      position += 2;
      for (unsigned i = 0; i < digits; ++i, ++position) {
        int digit = hexDigit(peek());
        if (digit < 0)
          return fail("expected " + std::to_string(digits) +
                      " hexadecimal digits in a float constant");
        bits = bits << 4 | static_cast<uint64_t>(digit);
      }
      Token &token = push(TokenKind::Float, start);
      token.value = bits;
      token.isDouble = isDouble;
      return true;
    }
    uint64_t value = 0;
    bool overflow = false;
    auto accumulate = [&](unsigned base) {
      bool any = false;
      while (true) {
        int digit = hexDigit(peek());
        if (digit < 0 || digit >= static_cast<int>(base))
          break;
        uint64_t scaled = value * base + static_cast<uint64_t>(digit);
        if (value > (UINT64_MAX - static_cast<uint64_t>(digit)) / base)
          overflow = true;
        value = scaled;
        any = true;
        ++position;
      }
      return any;
    };
    if (c == '0' && (second == 'x' || second == 'X')) {
      position += 2;
      if (!accumulate(16))
        return fail("expected hexadecimal digits after 0x");
    } else if (c == '0' && (second == 'b' || second == 'B')) {
      position += 2;
      if (!accumulate(2))
        return fail("expected binary digits after 0b");
    } else {
      size_t end = position;
      while (end < text.size() && isDigit(text[end]))
        ++end;
      bool isFloat = end < text.size() &&
                     (text[end] == '.' || text[end] == 'e' || text[end] == 'E');
      if (isFloat) {
        std::string digits(
            text.substr(start, std::min<size_t>(text.size() - start, 400)));
        char *stop = nullptr;
        double number = std::strtod(digits.c_str(), &stop);
        position = start + static_cast<size_t>(stop - digits.c_str());
        if (position <= start)
          return fail("malformed number");
        uint64_t bits;
        std::memcpy(&bits, &number, sizeof(bits));
        Token &token = push(TokenKind::Float, start);
        token.value = bits;
        return true;
      }
      accumulate(c == '0' && isDigit(second) ? 8 : 10);
      if (isDigit(peek()))
        return fail("malformed octal number");
    }
    if (overflow)
      return fail("integer constant exceeds 64 bits");
    if (peek() == 'U' || peek() == 'u')
      ++position;
    if (isIdentifier(peek()) && peek() != '%')
      return fail("malformed number");
    push(TokenKind::Integer, start).value = value;
    return true;
  }

  std::string_view text;
  std::vector<Token> &tokens;
  SourceError &error;
  size_t position = 0;
  uint32_t line = 1;
};
} // namespace

bool tokenize(std::string_view text, std::vector<Token> &tokens,
              SourceError &error) {
  return Lexer(text, tokens, error).run();
}

} // namespace bsmm::emulator::ptx
