#include "csrc/sandbox/report.hpp"

#include <sys/wait.h>

#include "csrc/sandbox/json.hpp"

namespace prefrontal::sandbox {
namespace {

constexpr int kStopped = 124, kBySignal = 128;

class Object {
 public:
  Object& add(const std::string& name, const std::string& value) {
    text_ += (text_.size() > 1 ? "," : "") + quoted(name) + ":" + value;
    return *this;
  }
  Object& add(const std::string& name, long value) { return add(name, std::to_string(value)); }
  std::string end() { return text_ + "}\n"; }

 private:
  std::string text_ = "{";
};

}  // namespace

std::string json_of(const Report& report, Level level) {
  const bool exited = WIFEXITED(report.status);
  return Object()
      .add("version", 1)
      .add("started", "true")
      .add("level", quoted(std::string(kLevels[static_cast<std::size_t>(level)])))
      .add("exit_status", exited ? std::to_string(WEXITSTATUS(report.status)) : "null")
      .add("signal", exited ? "null" : std::to_string(WTERMSIG(report.status)))
      .add("stopped_by", quoted(report.stopped))
      .add("killed", report.killed)
      .add("memory_kb", report.memory_kb)
      .add("threads", report.threads)
      .add("scratch_kb", report.scratch_kb)
      .add("wall_us", report.wall_us)
      .add("cpu_us", report.cpu_us)
      .end();
}

std::string json_of_failure(const std::string& sentence) {
  return Object().add("version", 1).add("started", "false").add("error", quoted(sentence)).end();
}

int exit_status(const Report& report) {
  if (report.signal != 0) return kBySignal + report.signal;
  if (!report.stopped.empty()) return kStopped;
  return WIFEXITED(report.status) ? WEXITSTATUS(report.status)
                                  : kBySignal + WTERMSIG(report.status);
}

}  // namespace prefrontal::sandbox
