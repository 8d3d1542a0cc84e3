//===- Commands.h - the commands of bsmm-launch -----------------*- C++ -*-===//

#ifndef BSMM_TOOLS_BSMM_LAUNCH_COMMANDS_H
#define BSMM_TOOLS_BSMM_LAUNCH_COMMANDS_H

#include <cstdint>
#include <string>
#include <vector>

namespace bsmm::launch {

/// Reads options from the command line, one after the other: "--name=value",
/// "--name value", "-M 128".
class OptionReader {
public:
  OptionReader(int count, char **words) : words(words, words + count) {}

  /// Takes the next word apart; false at the end.
  bool next();
  /// Whether the word is the option `name`, without its dashes.
  bool is(const char *name) const { return isOption && this->name == name; }
  bool isPositional() const { return !isOption; }
  const std::string &word() const { return current; }

  /// The value of the option; an error when there is none.
  std::string value();
  int64_t integer(int64_t low, int64_t high);
  double number();
  /// A switch takes no value.
  void noValue();

  void fail(const std::string &text) {
    if (error.empty())
      error = text;
  }
  /// The first error; empty without one.
  std::string error;

private:
  std::vector<std::string> words;
  size_t position = 0;
  std::string current, name, given;
  bool isOption = false, hasGiven = false;
};

/// Prints "bsmm-launch: TEXT" and returns the exit code.
int fail(const std::string &text);       // 1
int usageError(const std::string &text); // 2

// Each takes the words behind the command and returns the exit code.
int packCommand(int count, char **words);
int inspectCommand(int count, char **words);
int exportCommand(int count, char **words);
int devicesCommand(int count, char **words);
int runCommand(int count, char **words);

} // namespace bsmm::launch

#endif // BSMM_TOOLS_BSMM_LAUNCH_COMMANDS_H
