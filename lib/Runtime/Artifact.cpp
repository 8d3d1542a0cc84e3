//===- Artifact.cpp - reading and writing artifacts -----------------------===//
//
//   offset  bytes
//        0      8  magic: 89 'B' 'S' 'M' 'M' 0D 0A 1A
//        8      4  version, 1
//       12      4  bytes of this header, 64
//       16      8  bytes of the file
//       24      8  bytes of the index, which follows the header
//       32      4  CRC-32 of everything behind the header
//       36     24  zero
//       60      4  CRC-32 of bytes 0 to 59
//       64         index: JSON, schema bsmm.artifact/1
//                  sections, each at a multiple of 64 and padded with zeros
//
// Numbers are little end first. The magic's first and last bytes show a file
// that went through a text conversion, as those of PNG do.
//
//===----------------------------------------------------------------------===//

#include "bsmm/Runtime/Artifact.h"
#include "JsonReader.h"
#include <atomic>
#include <cstdio>
#include <cstring>
#include <map>
#include <sys/stat.h>
#include <unistd.h>

using namespace bsmm;
using namespace bsmm::runtime;
using OrderedJson = nlohmann::ordered_json;

static constexpr char magic[9] = "\x89"
                                 "BSMM\r\n\x1a";
static constexpr uint32_t formatVersion = 1;
static constexpr size_t headerBytes = 64;
static constexpr size_t sectionAlignment = 64;
static constexpr uint64_t maxFileBytes = uint64_t(1) << 30;
static constexpr uint64_t maxIndexBytes = uint64_t(8) << 20;
static constexpr size_t maxKernels = 65536;
static constexpr size_t maxNameBytes = 256;

static std::string number(uint64_t value) { return std::to_string(value); }

uint32_t runtime::crc32(std::string_view bytes, uint32_t previous) {
  static const std::array<uint32_t, 256> table = [] {
    std::array<uint32_t, 256> values{};
    for (uint32_t i = 0; i < 256; ++i) {
      uint32_t value = i;
      for (int bit = 0; bit < 8; ++bit)
        value = (value >> 1) ^ ((value & 1) ? 0xEDB88320u : 0);
      values[i] = value;
    }
    return values;
  }();
  uint32_t crc = ~previous;
  for (char byte : bytes)
    crc = (crc >> 8) ^ table[(crc ^ static_cast<uint8_t>(byte)) & 0xFF];
  return ~crc;
}

/// `count` bytes at `offset`, which the caller has checked.
static uint64_t readNumber(std::string_view bytes, size_t offset,
                           unsigned count) {
  uint64_t value = 0;
  for (unsigned i = count; i-- > 0;)
    value = value << 8 | static_cast<uint8_t>(bytes[offset + i]);
  return value;
}

static void writeNumber(std::string &bytes, size_t offset, unsigned count,
                        uint64_t value) {
  for (unsigned i = 0; i < count; ++i)
    bytes[offset + i] = static_cast<char>(value >> (8 * i));
}

/// Why a kernel cannot be in an artifact; empty when it can.
static std::string checkKernel(const ArtifactKernel &kernel) {
  if (kernel.name.empty() || kernel.name.size() > maxNameBytes)
    return ".name: expected 1 to 256 bytes, got " + number(kernel.name.size());
  if (kernel.ptx.empty() && kernel.cubin.empty())
    return ": expected PTX or a cubin, got neither";
  if (kernel.ptx.find('\0') != std::string_view::npos)
    return ".ptx: expected text, got a zero byte";
  return "";
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

namespace {
class ArtifactReader {
public:
  explicit ArtifactReader(std::shared_ptr<const std::string> file)
      : bytes(*file) {
    artifact.file = std::move(file);
  }

  Result<Artifact> read(ArtifactFault &fault) {
    fault = ArtifactFault::Damaged;
    std::string text = readHeader(fault);
    if (text.empty())
      text = readIndex(fault);
    if (!text.empty())
      return Error{text};
    fault = ArtifactFault::None;
    return std::move(artifact);
  }

private:
  std::string readHeader(ArtifactFault &fault);
  std::string readIndex(ArtifactFault &fault);
  std::string_view readSection(const JsonReader &reader);

  std::string_view bytes;
  uint64_t sectionsBegin = 0;
  Artifact artifact;
};
} // namespace

std::string ArtifactReader::readHeader(ArtifactFault &fault) {
  if (bytes.substr(0, 8) != std::string_view(magic, 8)) {
    std::string text = "expected a bsmm artifact, which begins with 89 'BSMM'";
    if (bytes.size() > 4 && bytes.substr(1, 4) == "BSMM")
      text += "; the file seems to have gone through a text conversion";
    return text;
  }
  if (bytes.size() < headerBytes)
    return "expected a header of 64 bytes, got a file of " +
           number(bytes.size()) + "; the file is cut off";
  // The version comes before the checksum: another version may have another
  // header.
  uint64_t version = readNumber(bytes, 8, 4);
  if (version != formatVersion) {
    fault = ArtifactFault::Version;
    return "unsupported artifact version " + number(version) +
           ": expected version 1; make the artifact with the bsmm of this "
           "runtime";
  }
  if (readNumber(bytes, 60, 4) != crc32(bytes.substr(0, 60)))
    return "damaged header: its checksum does not match";
  if (readNumber(bytes, 12, 4) != headerBytes)
    return "damaged header: expected 64 bytes of header, got " +
           number(readNumber(bytes, 12, 4));
  for (size_t i = 36; i < 60; ++i)
    if (bytes[i] != 0)
      return "damaged header: expected zero at byte " + number(i);
  uint64_t fileBytes = readNumber(bytes, 16, 8);
  if (fileBytes != bytes.size())
    return "expected a file of " + number(fileBytes) + " bytes, got " +
           number(bytes.size()) +
           (fileBytes > bytes.size() ? "; the file is cut off"
                                     : "; something was appended");
  uint64_t indexBytes = readNumber(bytes, 24, 8);
  if (indexBytes > maxIndexBytes || indexBytes > bytes.size() - headerBytes)
    return "damaged header: expected an index inside of the file, at most 8 "
           "MiB, got " +
           number(indexBytes) + " bytes";
  if (readNumber(bytes, 32, 4) != crc32(bytes.substr(headerBytes)))
    return "damaged contents: the checksum does not match";
  sectionsBegin = headerBytes + indexBytes;
  return "";
}

std::string_view ArtifactReader::readSection(const JsonReader &reader) {
  reader.object({"offset", "bytes"});
  int64_t end = static_cast<int64_t>(bytes.size());
  int64_t begin = static_cast<int64_t>(sectionsBegin);
  int64_t offset = reader.member("offset").integer(begin, end);
  int64_t length = reader.member("bytes").integer(1, end - begin);
  if (reader.failed())
    return {};
  if (length > end - offset) {
    reader.member("bytes").fail("expected at most the " +
                                number(static_cast<uint64_t>(end - offset)) +
                                " bytes up to the end of the file, got " +
                                number(static_cast<uint64_t>(length)));
    return {};
  }
  return bytes.substr(static_cast<size_t>(offset), static_cast<size_t>(length));
}

std::string ArtifactReader::readIndex(ArtifactFault &fault) {
  Result<nlohmann::json> json =
      parseJson(bytes.substr(headerBytes, sectionsBegin - headerBytes));
  if (!json)
    return "index: " + json.error();
  std::string error;
  JsonReader root(*json, error);
  if (!root.object({"schema", "producer", "kernels"}))
    return "index: " + error;
  std::string schema = root.member("schema").string();
  if (error.empty() && schema != artifactSchema) {
    fault = ArtifactFault::Version;
    return "index: $.schema: unsupported schema '" +
           JsonReader::shorten(schema) + "': expected '" +
           std::string(artifactSchema) + "'";
  }
  if (root.has("producer"))
    artifact.producer = root.member("producer").string();
  std::vector<JsonReader> kernels = root.member("kernels").array(1, maxKernels);
  for (const JsonReader &reader : kernels) {
    ArtifactKernel kernel;
    reader.object({"name", "manifest", "ptx", "cubin"});
    kernel.name = reader.member("name").string();
    if (reader.has("ptx"))
      kernel.ptx = readSection(reader.member("ptx"));
    if (reader.has("cubin"))
      kernel.cubin = readSection(reader.member("cubin"));
    JsonReader manifest = reader.member("manifest");
    if (!error.empty())
      return "index: " + error;
    Result<KernelManifest> parsed = parseManifest(manifest.json().dump());
    if (!parsed) {
      // Paths of the manifest begin with "$".
      std::string text = parsed.error();
      if (!text.empty() && text[0] == '$')
        text.replace(0, 1, manifest.path());
      else
        text = manifest.path() + ": " + text;
      if (text.find("unsupported schema") != std::string::npos)
        fault = ArtifactFault::Version;
      return "index: " + text;
    }
    kernel.manifest = std::move(*parsed);
    if (std::string text = checkKernel(kernel); !text.empty())
      return "index: " + reader.path() + text;
    artifact.kernels.push_back(std::move(kernel));
  }
  return error.empty() ? "" : "index: " + error;
}

Result<Artifact> runtime::parseArtifact(std::string bytes,
                                        ArtifactFault *fault) {
  ArtifactFault kind;
  ArtifactReader reader(std::make_shared<const std::string>(std::move(bytes)));
  Result<Artifact> artifact = reader.read(kind);
  if (fault)
    *fault = kind;
  return artifact;
}

Result<Artifact> runtime::readArtifactFile(const std::string &fileName,
                                           ArtifactFault *fault) {
  auto fail = [&](const std::string &text) {
    if (fault)
      *fault = ArtifactFault::CannotRead;
    return Error{fileName + ": " + text};
  };
  std::FILE *file = std::fopen(fileName.c_str(), "rb");
  if (!file)
    return fail(std::string("cannot be opened: ") + std::strerror(errno));
  std::unique_ptr<std::FILE, int (*)(std::FILE *)> closer(file, std::fclose);
  struct stat status;
  if (fstat(fileno(file), &status) != 0 || !S_ISREG(status.st_mode))
    return fail("expected a regular file");
  // What the file system says is a hint: the loop reads what is there.
  std::string bytes;
  std::vector<char> block(size_t(1) << 18);
  while (size_t got = std::fread(block.data(), 1, block.size(), file)) {
    if (bytes.size() + got > maxFileBytes)
      return fail("expected an artifact of at most 1 GiB");
    bytes.append(block.data(), got);
    // No need to read a large file that is none of ours.
    if (bytes.compare(0, 8, magic, 8) != 0)
      break;
  }
  if (std::ferror(file))
    return fail(std::string("cannot be read: ") + std::strerror(errno));
  Result<Artifact> artifact = parseArtifact(std::move(bytes), fault);
  if (!artifact)
    return Error{fileName + ": " + artifact.error()};
  return artifact;
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

Result<std::string> runtime::formatArtifact(const Artifact &artifact) {
  if (artifact.kernels.empty() || artifact.kernels.size() > maxKernels)
    return Error{"expected 1 to 65536 kernels, got " +
                 number(artifact.kernels.size())};
  std::vector<std::string> manifests;
  for (size_t i = 0; i < artifact.kernels.size(); ++i) {
    const ArtifactKernel &kernel = artifact.kernels[i];
    std::string text = checkKernel(kernel);
    if (text.empty())
      if (text = validateManifest(kernel.manifest); !text.empty())
        text = ".manifest" + text.substr(text[0] == '$' ? 1 : 0);
    if (!text.empty())
      return Error{"$.kernels[" + number(i) + "]" + text};
    manifests.push_back(writeManifest(kernel.manifest));
  }

  // Offsets are part of the index, whose length moves them: assume a length for
  // the index and raise it until it holds.
  auto alignUp = [](uint64_t value) {
    return (value + sectionAlignment - 1) / sectionAlignment * sectionAlignment;
  };
  std::string index;
  uint64_t room = 0, end = 0;
  std::map<std::string_view, uint64_t> offsets;
  do {
    room = alignUp(std::max<uint64_t>(room + 1, index.size()));
    end = headerBytes + room;
    offsets.clear();
    OrderedJson root;
    root["schema"] = artifactSchema;
    root["producer"] = artifact.producer;
    root["kernels"] = OrderedJson::array();
    auto place = [&](std::string_view code) {
      auto [entry, isNew] = offsets.try_emplace(code, end);
      if (isNew)
        end = alignUp(end + code.size());
      return OrderedJson{{"offset", entry->second}, {"bytes", code.size()}};
    };
    for (size_t i = 0; i < artifact.kernels.size(); ++i) {
      const ArtifactKernel &kernel = artifact.kernels[i];
      OrderedJson entry;
      entry["name"] = kernel.name;
      entry["manifest"] = OrderedJson::parse(manifests[i]);
      if (!kernel.ptx.empty())
        entry["ptx"] = place(kernel.ptx);
      if (!kernel.cubin.empty())
        entry["cubin"] = place(kernel.cubin);
      root["kernels"].push_back(std::move(entry));
    }
    index = root.dump(1, ' ', false, OrderedJson::error_handler_t::replace);
    if (index.size() > maxIndexBytes)
      return Error{"expected an index of at most 8 MiB, got " +
                   number(index.size()) + " bytes; write several artifacts"};
    if (end > maxFileBytes)
      return Error{"expected an artifact of at most 1 GiB, got " + number(end) +
                   " bytes; write several artifacts"};
  } while (index.size() > room);
  // White space after JSON belongs to it.
  index.resize(room, ' ');

  std::string bytes(end, '\0');
  std::memcpy(&bytes[0], magic, 8);
  std::memcpy(&bytes[headerBytes], index.data(), index.size());
  for (const auto &[code, offset] : offsets)
    std::memcpy(&bytes[offset], code.data(), code.size());
  writeNumber(bytes, 8, 4, formatVersion);
  writeNumber(bytes, 12, 4, headerBytes);
  writeNumber(bytes, 16, 8, bytes.size());
  writeNumber(bytes, 24, 8, index.size());
  std::string_view view = bytes;
  writeNumber(bytes, 32, 4, crc32(view.substr(headerBytes)));
  writeNumber(bytes, 60, 4, crc32(view.substr(0, 60)));
  return bytes;
}

std::string runtime::writeArtifactFile(const std::string &fileName,
                                       const Artifact &artifact) {
  Result<std::string> bytes = formatArtifact(artifact);
  return bytes ? writeFileInOneStep(fileName, *bytes) : bytes.error();
}

std::string runtime::writeFileInOneStep(const std::string &fileName,
                                        std::string_view bytes) {
  // Writers of several threads and processes do not meet.
  static std::atomic<unsigned> counter{0};
  std::string temporary = fileName + ".writing-" +
                          number(static_cast<uint64_t>(getpid())) + "-" +
                          number(counter++);
  std::FILE *file = std::fopen(temporary.c_str(), "wb");
  if (!file)
    return fileName + ": cannot be written: " + std::strerror(errno);
  bool good = std::fwrite(bytes.data(), 1, bytes.size(), file) == bytes.size();
  int reason = errno;
  if (std::fclose(file) != 0 && good) {
    good = false;
    reason = errno;
  }
  if (good && std::rename(temporary.c_str(), fileName.c_str()) != 0) {
    good = false;
    reason = errno;
  }
  if (good)
    return "";
  std::remove(temporary.c_str());
  return fileName + ": cannot be written: " + std::strerror(reason);
}

std::string runtime::describeArtifact(const Artifact &artifact) {
  OrderedJson root;
  root["schema"] = artifactSchema;
  root["producer"] = artifact.producer;
  root["kernels"] = OrderedJson::array();
  auto describe = [](std::string_view code) {
    char crc[11];
    std::snprintf(crc, sizeof(crc), "0x%08x", crc32(code));
    return OrderedJson{{"bytes", code.size()}, {"crc32", crc}};
  };
  for (const ArtifactKernel &kernel : artifact.kernels) {
    OrderedJson entry;
    entry["name"] = kernel.name;
    if (!kernel.ptx.empty())
      entry["ptx"] = describe(kernel.ptx);
    if (!kernel.cubin.empty())
      entry["cubin"] = describe(kernel.cubin);
    entry["manifest"] = OrderedJson::parse(writeManifest(kernel.manifest));
    root["kernels"].push_back(std::move(entry));
  }
  return root.dump(2, ' ', false, OrderedJson::error_handler_t::replace);
}
