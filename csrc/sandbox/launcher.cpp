// prefrontal-sbx: runs a command where it cannot hurt, and reports in JSON.
//
//   prefrontal-sbx --scratch /folder --report 3 -- /usr/bin/python3 -c 'print(1)'
#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "csrc/sandbox/failure.hpp"
#include "csrc/sandbox/json.hpp"
#include "csrc/sandbox/probe.hpp"
#include "csrc/sandbox/report.hpp"
#include "csrc/sandbox/request.hpp"
#include "csrc/sandbox/supervisor.hpp"
#include "csrc/sandbox/usage.hpp"

namespace {

using namespace prefrontal::sandbox;

constexpr int kNotStarted = 125;
constexpr int kFirstOwn = 3;  // a report to standard output or error leaves these to the command

void complain(const std::string& sentence) {
  fprintf(stderr, "prefrontal-sbx: %s\n", sentence.c_str());
}

void write_all(int end, const std::string& text) {
  if (write(end, text.data(), text.size()) >= 0) return;
  complain("descriptor " + std::to_string(end) + ": " + std::strerror(errno));
  _exit(kNotStarted);
}

// Else what is opened next would be the command's input or output. As with a closed one, using
// it fails.
void hold_standard_descriptors() {
  for (int number = 0; number < kFirstOwn; ++number)
    if (fcntl(number, F_GETFD) < 0)
      checked(open("/dev/null", number == 0 ? O_WRONLY : O_RDONLY), "/dev/null");
}

// Before anything is run that nobody would hear of.
void check_report(Request& request) {
  const int mode = fcntl(request.report, F_GETFL);
  if (request.report < 0 || (mode >= 0 && (mode & O_ACCMODE) != O_RDONLY)) return;
  const std::string number = std::to_string(std::exchange(request.report, -1));
  throw Failure("--report must be the number of an open descriptor to write, got " + number);
}

int print(const std::string& text) {
  write_all(1, text);
  return 0;
}

std::string content_of(const std::string& path) {
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) throw Failure("--request must name a file that can be read, got '" + path + "'");
  std::string text;
  char part[4096];
  ssize_t length = 0;
  while ((length = read(file, part, sizeof part)) > 0)
    text.append(part, static_cast<std::size_t>(length));
  close(file);
  if (length < 0) fail(path);
  return text;
}

std::vector<std::string> words_of(const std::vector<std::string>& words) {
  if (words.empty() || words[0] != "--request") return words;
  if (words.size() != 2) throw Failure("--request must have a file and no other option beside it");
  return words_of_json(content_of(words[1]));
}

int run(const std::vector<std::string>& words, Request& request) {
  read_request(words_of(words), request);
  check_report(request);
  complete(request);
  if (request.report >= kFirstOwn)
    checked(fcntl(request.report, F_SETFD, FD_CLOEXEC), "the descriptor of --report");
  if (request.strongest) {
    request.level = request.network == Network::kProxy ? Level::kNamespace : strongest();
  }
  const Report report = supervise(request);
  if (request.report < 0) return exit_status(report);
  write_all(request.report, json_of(report, request.level));
  return 0;
}

}  // namespace

int main(int count, char** arguments) {
  const std::vector<std::string> words(arguments + 1, arguments + count);
  const std::string first = words.size() == 1 ? words[0] : "";
  if (first == "--see") return reached();
  Request request;
  try {
    hold_standard_descriptors();
    if (first == "--help" || first == "-h") return print(kUsage);
    if (first == "--version") return print("prefrontal-sbx " PREFRONTAL_VERSION "\n");
    if (first == "--probe") return print(json_of_levels());
    return run(words, request);
  } catch (const std::exception& error) {
    if (request.report >= 0) {
      write_all(request.report, json_of_failure(error.what()));
    } else {
      complain(error.what());
    }
    return kNotStarted;
  }
}
