#include "cli/distributed.h"

#include "cli/choice.h"
#include "cli/distributed_recording.h"
#include "cli/distributed_summary.h"
#include "cli/exit_code.h"
#include "cli/progress.h"
#include "cli/stats_file.h"
#include "cli/summary.h"
#include "distribute/run.h"

#include <CLI/CLI.hpp>

#include <chrono>
#include <csignal>

namespace moraine::cli
{

namespace
{

using Clock = std::chrono::steady_clock;

const std::map<std::string, PartitionKind> partition_names{{"naive", PartitionKind::naive},
                                                           {"bisect", PartitionKind::bisect},
                                                           {"semantic", PartitionKind::semantic},
                                                           {"metis", PartitionKind::metis}};
const std::map<std::string, LoadKind> load_names{
    {"bodies", LoadKind::bodies}, {"constraints", LoadKind::constraints}, {"time", LoadKind::time}};
const std::map<std::string, BlendWeights> weight_names{{"geodesic", BlendWeights::geodesic},
                                                       {"equal", BlendWeights::equal}};
const std::map<std::string, Detection> detection_names{{"distributed", Detection::distributed},
                                                       {"central", Detection::central}};
const std::map<std::string, Border> border_names{
    {"carried", Border::carried}, {"held", Border::held}, {"free", Border::free}};
const std::map<std::string, SolverKind> worker_solver_names{
    {"substep", SolverKind::substep}, {"pgs", SolverKind::pgs}, {"direct", SolverKind::direct}};
const std::map<std::string, Balance> balance_names{
    {"steady", Balance::steady}, {"paper", Balance::paper}, {"none", Balance::none}};

volatile std::sig_atomic_t stop_asked = 0;

void stop_on_signals()
{
    struct sigaction action = {};
    action.sa_handler = [](int) { stop_asked = 1; };
    for (int signal : {SIGINT, SIGTERM, SIGUSR1})
        sigaction(signal, &action, nullptr);
}

float joint_error(const distribute::ServerStep& step)
{
    float most = 0;
    for (const distribute::WorkerStep& s : step.workers)
        most = std::max(most, s.joint_error_max);
    return most;
}

// Rank 0's view of the run.
struct Watch
{
    Window window{};
    uint64_t step = 0;
    Summary summary{};
    DistributedSummary distributed{};
    Progress progress;
    uint64_t checkpoint_every = 0; // steps; 0: never
    bool has_checkpoint = false;
    double max_seconds = 0; // 0: as long as it takes
    Clock::time_point begin = Clock::now(), before = begin;
    bool has_broken = false;
    bool is_interrupted = false;

    distribute::Decision observe(const distribute::ServerStep& s, uint64_t reached)
    {
        step = reached - 1;
        const auto now = Clock::now();
        const double wall_ms = std::chrono::duration<double, std::milli>(now - before).count();
        before = now;
        const StepReport report = distribute::sum_up(s);
        has_broken |= report.has_error;
        if (window.contains(step))
        {
            summary.statistics.add(report, float(wall_ms));
            summary.statistics.add_joint_error(double(joint_error(s)));
            distributed.add(s, wall_ms);
        }
        progress.update(reached - summary.first_step, report);
        const bool is_over = max_seconds > 0 && std::chrono::duration<double>(now - begin).count() > max_seconds;
        is_interrupted |= s.asks_to_stop;
        const bool stops = s.asks_to_stop || is_over;
        const bool is_due = checkpoint_every > 0 && reached % checkpoint_every == 0;
        return {.stops = stops, .saves = has_checkpoint && (stops || is_due)};
    }
};

void fill(const distribute::RunResult& result, const SceneDescription& scene, int workers, Watch& watch)
{
    Summary& s = watch.summary;
    s.scene = scene.name;
    s.first_step = result.first_step;
    s.steps = result.steps;
    s.time = result.time;
    s.dt = scene.dt;
    s.threads = workers;
    s.state_hash = result.state_hash;
    s.bodies = int(scene.bodies.size());
    for (const SceneBody& body : scene.bodies)
        s.bodies_dynamic += body.def.type == BodyType::dynamic_;
    s.joints = int(scene.joints.size());
    s.energy_start = result.energy_start;
    s.energy_end = result.energy_end;
    s.is_interrupted = watch.is_interrupted;
    s.distributed_json = watch.distributed.to_json();
    s.distributed_text = watch.distributed.to_text();
}

Result<std::shared_ptr<const SceneDescription>> prepare(const RunOptions& options)
{
    for (const auto& [flag, value] :
         {std::pair("--from", &options.from), std::pair("--snapshot", &options.snapshot),
          std::pair("--graph-out", &options.graph_out), std::pair("--stats", &options.stats)})
        if (!value->empty())
            return Error{std::string(flag) + " does not go with workers; leave it out"};
    if (options.checkpoint.empty() && (options.checkpoint_every || options.resume))
        return Error{"--checkpoint-every and --resume: say where with --checkpoint FILE"};
    auto scene = load_with_options(options);
    if (!scene)
        return scene.error();
    return std::make_shared<const SceneDescription>(std::move(*scene));
}

// What the run was asked for, the same on every rank but for the checkpoint, which rank 0 reads.
struct Job
{
    const RunOptions& options;
    std::shared_ptr<const SceneDescription> scene;
    uint64_t steps = 0; // of this run
    Window window{};
};

Result<std::optional<distribute::Checkpoint>> load_resumed(const RunOptions& options)
{
    if (!options.resume)
        return std::optional<distribute::Checkpoint>();
    if (options.checkpoint.empty())
        return Error{"--resume: say which with --checkpoint FILE"};
    auto loaded = distribute::load_checkpoint(options.checkpoint);
    if (!loaded)
        return loaded.error();
    return std::optional(std::move(*loaded));
}

Watch make_watch(const Job& job, int workers, uint64_t first_step)
{
    Watch watch{.window = job.window, .distributed = DistributedSummary(workers), .progress = Progress(job.steps)};
    watch.summary.first_step = first_step;
    watch.has_checkpoint = !job.options.checkpoint.empty();
    watch.checkpoint_every = uint64_t(job.options.checkpoint_every.value_or(0));
    watch.max_seconds = 3600 * job.options.max_hours.value_or(0);
    return watch;
}

// A run that is resumed goes on to where it would have ended.
distribute::RunSettings make_settings(const Job& job, const std::optional<distribute::Checkpoint>& resumed,
                                      Watch& watch, DistributedRecording* recording)
{
    return {.steps = job.steps,
            .observe =
                [&watch, recording](const auto& s, uint64_t step) {
                    distribute::Decision decision = watch.observe(s, step);
                    decision.stops |= recording && recording->has_failed();
                    return decision;
                },
            .show = recording ? [recording](const auto& shown) { recording->add(shown); }
                              : std::function<void(const distribute::Shown&)>(),
            .shows_contacts = recording && recording->wants_contacts(),
            .asks_to_stop = [] { return stop_asked != 0; },
            .checkpoint_path = job.options.checkpoint,
            .resumed = resumed ? &*resumed : nullptr};
}

int finish(const Result<distribute::RunResult>& result, const Job& job, int workers, DistributedRecording* recording,
           Watch& watch)
{
    if (!result)
        return fail(exit_bad_input, result.error().message);
    if (recording)
        if (const Status closed = recording->close(); !closed)
            return fail(exit_bad_input, closed.error().message);
    fill(*result, *job.scene, workers, watch);
    fmt::print("{}", job.options.json ? to_json(watch.summary) + "\n" : to_text(watch.summary));
    std::fflush(stdout);
    if (watch.has_broken)
        return fail(exit_failed, job.scene->name + ": a body's state turned non-finite and was frozen");
    return exit_done;
}

int run_here(const Job& job)
{
    const int workers = job.options.workers.value_or(1);
    const auto resumed = load_resumed(job.options);
    if (!resumed)
        return fail(exit_bad_input, resumed.error().message);
    Watch watch = make_watch(job, workers, *resumed ? (*resumed)->step : 0);
    auto recording = DistributedRecording::create(job.options, *job.scene, workers);
    if (!recording)
        return fail(exit_bad_input, recording.error().message);
    const auto settings = make_settings(job, *resumed, watch, recording->get());
    const auto result = distribute::run_workers(job.scene, settings, workers);
    watch.summary.wall_seconds = std::chrono::duration<double>(Clock::now() - watch.begin).count();
    return finish(result, job, workers, recording->get(), watch);
}

int run_rank_of(const Job& job, distribute::Transport& transport)
{
    const int workers = transport.size();
    const bool is_main = transport.rank() == 0;
    const auto complain = [&](const Error& error) {
        return is_main ? fail(exit_bad_input, error.message) : int(exit_bad_input);
    };
    Status fine = distribute::check_distributable(*job.scene, workers);
    if (fine)
        fine = validate_scene(*job.scene);
    if (!fine)
        return complain(fine.error());
    // All ranks look, so that all end when there is nothing to go on from; rank 0's is used.
    const auto resumed = load_resumed(job.options);
    if (!resumed)
        return complain(resumed.error());
    const distribute::SharedScene shared(job.scene);
    Watch watch = make_watch(job, workers, *resumed ? (*resumed)->step : 0);
    auto recording = DistributedRecording::create(job.options, *job.scene, workers);
    if (!recording)
        return complain(recording.error());
    const auto settings = make_settings(job, *resumed, watch, recording->get());
    auto ran = distribute::run_rank(shared, settings, transport);
    watch.summary.wall_seconds = std::chrono::duration<double>(Clock::now() - watch.begin).count();
    if (!ran)
        return complain(ran.error());
    return is_main ? finish(std::move(**ran), job, workers, recording->get(), watch) : int(exit_done);
}

} // namespace

void add_distributed_options(CLI::App& command, RunOptions& options)
{
    const char* group = "Distributed";
    auto* workers = command.add_option("--workers", options.workers, "Divide the scene among threads of this process");
    workers->check(CLI::Range(1, distribute::max_workers).description(""))->type_name("W")->group(group);
    command
        .add_flag("--distributed", options.distributed, "Under mpirun or srun: divide it among the ranks of the job")
        ->excludes(workers)
        ->group(group);
    command
        .add_option("--growth-depth", options.growth_depth,
                    "Overlap reaches so many constraints beyond the border (gamma)")
        ->check(CLI::Range(0, 1000000).description(""))
        ->type_name("N")
        ->group(group);
    command.add_option("--search-depth", options.search_depth, "How far weights look for a worker's own bodies (beta)")
        ->check(CLI::Range(0, 1000).description(""))
        ->type_name("N")
        ->group(group);
    const auto add_choice = [&](const char* flag, auto& value, const auto& names, const char* words, const char* help) {
        command.add_option(flag, value, help)->transform(choice_of(names))->type_name(words)->group(group);
    };
    add_choice("--partition", options.partition, partition_names, "naive|bisect|semantic|metis", "First division");
    command.add_option("--partition-file", options.partition_file, "First division: lines of BODY WORKER")
        ->type_name("FILE")
        ->group(group);
    add_choice("--load", options.load, load_names, "bodies|constraints|time", "What is to be evened out");
    add_choice("--weights", options.weights, weight_names, "geodesic|equal", "How copies of a body are blended");
    add_choice("--detection", options.detection, detection_names, "distributed|central",
               "Who looks for contacts between workers");
    add_choice("--border", options.border, border_names, "carried|held|free",
               "What a worker takes to be where its part ends: things that move on as they did, or nothing");
    command
        .add_option("--first-workers", options.first_workers,
                    "So many have something to do in the beginning, the others wait")
        ->check(CLI::Range(1, distribute::max_workers).description(""))
        ->type_name("N")
        ->group(group);
    const auto add_load = [&](const char* flag, auto& value, const char* help) {
        command.add_option(flag, value, help)
            ->check(CLI::Range(0.0, 1e12).description(""))
            ->type_name("LOAD")
            ->group(group);
    };
    add_load("--grow-above", options.grow_above, "One more worker begins when the mean load of a worker is higher");
    add_load("--shrink-below", options.shrink_below, "One worker ends when the mean load of a worker is lower");
    command.add_option("--worker-solvers", options.worker_solvers, "Solvers of the workers, from the first on")
        ->transform(choice_of(worker_solver_names))
        ->delimiter(',')
        ->type_name("substep|pgs|direct,...")
        ->group(group);
    command.add_option("--checkpoint", options.checkpoint, "Keep the state in FILE.a and FILE.b, in turns")
        ->type_name("FILE")
        ->group(group);
    command.add_option("--checkpoint-every", options.checkpoint_every, "Steps between checkpoints")
        ->check(CLI::Range(1, 2000000000).description(""))
        ->type_name("N")
        ->group(group);
    command.add_flag("--resume", options.resume, "Go on from the later checkpoint that is whole")->group(group);
    command.add_option("--max-hours", options.max_hours, "Stop after so many hours, with a checkpoint")
        ->check(CLI::Range(0.0, 1e6).description(""))
        ->type_name("H")
        ->group(group);
    add_choice("--balance", options.balance, balance_names, "steady|paper|none", "When borders between workers move");
}

void apply_distributed_overrides(const RunOptions& options, SceneDescription& scene)
{
    DistributeDef& def = scene.distribute;
    def.growth_depth = options.growth_depth.value_or(def.growth_depth);
    def.search_depth = options.search_depth.value_or(def.search_depth);
    def.partition = options.partition.value_or(def.partition);
    if (!options.partition_file.empty())
    {
        def.partition = PartitionKind::file;
        def.partition_file = options.partition_file;
    }
    def.load = options.load.value_or(def.load);
    def.weights = options.weights.value_or(def.weights);
    def.detection = options.detection.value_or(def.detection);
    def.border = options.border.value_or(def.border);
    def.balance = options.balance.value_or(def.balance);
    def.first_workers = options.first_workers.value_or(def.first_workers);
    def.grow_above = options.grow_above.value_or(def.grow_above);
    def.shrink_below = options.shrink_below.value_or(def.shrink_below);
    if (!options.worker_solvers.empty())
        def.solvers = options.worker_solvers;
}

namespace
{

Result<Job> make_job(const RunOptions& options)
{
    const auto scene = prepare(options);
    if (!scene)
        return scene.error();
    const auto window = parse_window(options.window);
    if (!window)
        return window.error();
    const auto steps = step_count(options, **scene);
    if (!steps)
        return steps.error();
    return Job{options, *scene, *steps, *window};
}

// All ranks know it, so that all end, and one of them says it.
std::string first_problem(const std::string& own, distribute::Transport& transport)
{
    if (transport.rank() != 0)
    {
        transport.send(0, distribute::pack(own));
        return distribute::unpack<std::string>(transport.receive(0));
    }
    std::string problem = own;
    for (int rank = 1; rank < transport.size(); ++rank)
    {
        const auto other = distribute::unpack<std::string>(transport.receive(rank));
        if (problem.empty() && !other.empty())
            problem = fmt::format("rank {}: {}", rank, other);
    }
    for (int rank = 1; rank < transport.size(); ++rank)
        transport.send(rank, distribute::pack(problem));
    return problem;
}

} // namespace

bool is_distributed(const RunOptions& options) { return options.distributed || options.workers.has_value(); }

int run_distributed(const RunOptions& options)
{
    if (options.distributed && !distribute::has_mpi())
        return fail(exit_bad_input, "this build has no MPI; install libopenmpi-dev and build again, or use --workers");
    stop_on_signals(); // first of all: a rank that is killed while it reads the scene takes the others with it
    const Result<Job> job = make_job(options);
    if (!job && !options.distributed)
        return fail(exit_bad_input, job.error().message);
    if (!options.distributed)
        return run_here(*job);
    return distribute::run_on_mpi([&](distribute::Transport& transport) {
        const std::string problem = first_problem(job ? std::string() : job.error().message, transport);
        if (!problem.empty())
            return transport.rank() == 0 ? fail(exit_bad_input, problem) : int(exit_bad_input);
        return run_rank_of(*job, transport);
    });
}

} // namespace moraine::cli
