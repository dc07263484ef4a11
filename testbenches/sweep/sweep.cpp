#include "testbenches/sweep/sweep.hpp"

#include <condition_variable>
#include <exception>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "testbenches/sweep/point.hpp"

namespace vcore::sweep {
namespace {

/// Points that a thread may be ahead of the slowest one.
constexpr std::uint64_t kWindow = 256;

class Run {
public:
    Run(const Specification& specification, const Shard& shard, ResultsWriter& results,
        const std::function<void(const Progress&)>& progress)
        : specification_(specification),
          shard_(shard),
          results_(results),
          progress_(progress),
          begun_(results.kept()),
          all_(shard.share(specification.points())),
          next_(begun_),
          written_(begun_),
          lines_(kWindow) {}

    void work() {
        try {
            while (const auto place = take()) {
                put(*place, run_point(specification_, specification_.point(shard_.number(*place))));
            }
        } catch (...) {
            const std::lock_guard<std::mutex> lock(mutex_);
            if (!error_) error_ = std::current_exception();
            moved_.notify_all();
        }
    }

    void finish() const {
        if (error_) std::rethrow_exception(error_);
    }

private:
    std::optional<std::uint64_t> take() {
        std::unique_lock<std::mutex> lock(mutex_);
        moved_.wait(lock, [this] { return error_ || next_ == all_ || next_ < written_ + kWindow; });
        if (error_ || next_ == all_) return std::nullopt;
        return next_++;
    }

    void put(std::uint64_t place, std::string line) {
        const std::lock_guard<std::mutex> lock(mutex_);
        lines_[place % kWindow] = std::move(line);
        if (place != written_ || error_) return;
        std::string text;
        std::uint64_t count = 0;
        for (; count < kWindow && !lines_[(written_ + count) % kWindow].empty(); ++count) {
            std::string& ready = lines_[(written_ + count) % kWindow];
            text += ready;
            ready.clear();
        }
        results_.append(text, count);
        written_ += count;
        moved_.notify_all();
        progress_({written_, begun_, all_});
    }

    const Specification& specification_;
    const Shard shard_;
    ResultsWriter& results_;
    const std::function<void(const Progress&)>& progress_;
    const std::uint64_t begun_;
    const std::uint64_t all_;

    std::mutex mutex_;
    std::condition_variable moved_;
    std::uint64_t next_;              // to be taken
    std::uint64_t written_;           // all before it are in the file
    std::vector<std::string> lines_;  // of points that wait for one before them
    std::exception_ptr error_;
};

}  // namespace

void run_points(const Specification& specification, const Shard& shard, ResultsWriter& results, unsigned threads,
                const std::function<void(const Progress&)>& progress) {
    Run run(specification, shard, results, progress);
    std::vector<std::thread> workers;
    for (unsigned i = 0; i < threads; ++i) workers.emplace_back([&run] { run.work(); });
    for (std::thread& worker : workers) worker.join();
    run.finish();
}

}  // namespace vcore::sweep
