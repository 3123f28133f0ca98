#include "distribute/run.h"

#include "base/hash.h"

#include <moraine/version.h>

#include <algorithm>
#include <array>
#include <fstream>

namespace moraine::distribute
{

namespace
{

// What ranks must agree on before they begin.
uint64_t fingerprint(const SceneDescription& scene)
{
    Hash hash;
    for (char c : std::string_view(version()))
        hash.add(c);
    for (uint64_t size : {sizeof(BodyCopy), sizeof(BoundaryBody), sizeof(WorkerStep), sizeof(BodyDef),
                          scene.bodies.size(), scene.joints.size(), scene.events.size()})
        hash.add(size);
    hash.add(scene.dt);
    for (const SceneBody& body : scene.bodies)
        for (double x : {body.def.position.x, body.def.position.y, body.def.position.z})
            hash.add(x);
    return hash.value();
}

uint64_t hash_program()
{
    std::ifstream program("/proc/self/exe", std::ios::binary);
    Hash hash;
    std::vector<uint64_t> words(size_t(1) << 16);
    while (program)
    {
        words.assign(words.size(), 0);
        program.read(reinterpret_cast<char*>(words.data()), std::streamsize(words.size() * sizeof words[0]));
        for (uint64_t word : words)
            hash.add(word);
    }
    return hash.value();
}

// Two builds of one version may still compute differently: ranks compare the programs themselves.
uint64_t program_hash()
{
    static const uint64_t hash = hash_program(); // ranks that are threads have one program
    return hash;
}

// Rank 0 says what all do, or why nobody can.
struct Beginning
{
    std::string problem{};
    std::vector<WorkerMask> masks{};
    std::vector<int> owners{};
    uint64_t step = 0; // where a checkpoint was left
    double time = 0;
    Bytes worker{};                 // of a checkpoint of as many workers
    std::vector<BodyCopy> bodies{}; // of one of another number, and the next
    std::vector<RingingBody> ringing{};

    template <class A>
    void archive(A& a)
    {
        a(problem), a(masks), a(owners), a(step), a(time), a(worker), a(bodies), a(ringing);
    }
};

Status begin_server(const RunSettings& settings, uint64_t own, int workers, Server& server, Beginning& beginning)
{
    const Checkpoint* resumed = settings.resumed;
    if (!resumed)
        return server.begin();
    if (resumed->fingerprint != own)
        return Error{"the checkpoint was made with another build, scene or parameters; use those, or start anew"};
    beginning.step = resumed->step;
    beginning.time = resumed->time;
    if (int(resumed->workers.size()) == workers)
        return server.restore(resumed->server);
    beginning.bodies = resumed->bodies;
    beginning.ringing = resumed->ringing;
    server.remember(resumed->shakes);
    return server.begin(beginning.bodies);
}

Beginning agree(const SharedScene& shared, const RunSettings& settings, Server* server, Transport& transport)
{
    const uint64_t own = fingerprint(shared.scene());
    const std::array<uint64_t, 2> compared{own, transport.size() > 1 ? program_hash() : 0};
    if (!server)
    {
        transport.send(0, pack(compared));
        return unpack<Beginning>(transport.receive(0));
    }
    Beginning beginning;
    for (int rank = 1; rank < transport.size(); ++rank)
    {
        const auto other = unpack<std::array<uint64_t, 2>>(transport.receive(rank));
        if (other != compared)
            beginning.problem = "rank " + std::to_string(rank) + " runs another " +
                                (other[1] != compared[1] ? "build" : "scene") +
                                " than rank 0: give all ranks the same program, scene and parameters";
    }
    if (beginning.problem.empty())
    {
        const Status begun = begin_server(settings, own, transport.size(), *server, beginning);
        if (!begun)
            beginning.problem = begun.error().message;
        beginning.masks.assign(server->masks().begin(), server->masks().end());
        for (int32_t b = 0; b < int32_t(beginning.masks.size()); ++b)
            beginning.owners.push_back(server->known_owner(b));
    }
    const bool is_same = settings.resumed && int(settings.resumed->workers.size()) == transport.size();
    for (int rank = transport.size() - 1; rank >= 0; --rank)
    {
        beginning.worker = is_same ? settings.resumed->workers[size_t(rank)] : Bytes{};
        if (rank > 0)
            transport.send(rank, pack(beginning));
    }
    return beginning;
}

// As World::state_hash: a single worker has the hash of a run without workers.
uint64_t hash_of(std::span<const BodyCopy> bodies)
{
    Hash hash;
    for (const BodyCopy& copy : bodies)
    {
        const BodyState& s = copy.state;
        for (double x : {s.pose.position.x, s.pose.position.y, s.pose.position.z})
            hash.add(x);
        const Quat q = s.pose.rotation;
        for (float x : {q.x, q.y, q.z, q.w, s.linear.x, s.linear.y, s.linear.z, s.angular.x, s.angular.y, s.angular.z})
            hash.add(x);
    }
    return hash.value();
}

struct Gathered
{
    std::vector<BodyCopy> bodies{};
    double energy = 0;
    std::vector<ShownContact> contacts{};
    std::vector<RingingBody> ringing{};

    template <class A>
    void archive(A& a)
    {
        a(bodies), a(energy), a(contacts), a(ringing);
    }
};

// All bodies, on rank 0, in the order of the scene.
Gathered gather(const Worker& worker, Transport& transport, std::vector<ShownContact> contacts = {})
{
    Gathered own{worker.owned(), worker.energy(), std::move(contacts)};
    own.ringing = worker.ringing_of(own.bodies);
    if (transport.rank() != 0)
    {
        transport.send(0, pack(own));
        return {};
    }
    for (int rank = 1; rank < transport.size(); ++rank)
    {
        const auto other = unpack<Gathered>(transport.receive(rank));
        own.bodies.insert(own.bodies.end(), other.bodies.begin(), other.bodies.end());
        own.energy += other.energy;
        own.contacts.insert(own.contacts.end(), other.contacts.begin(), other.contacts.end());
        own.ringing.insert(own.ringing.end(), other.ringing.begin(), other.ringing.end());
    }
    std::sort(own.bodies.begin(), own.bodies.end(), [](const auto& a, const auto& b) { return a.body < b.body; });
    return own;
}

// One round: everybody reports, the server decides, everybody knows what to do next.
Command exchange(Report report, Server* server, Transport& transport, float dt,
                 const std::function<Decision(const ServerStep&)>& decide)
{
    if (!server)
    {
        transport.send(0, pack(report));
        return unpack<Command>(transport.receive(0));
    }
    std::vector<Report> reports;
    reports.push_back(std::move(report));
    for (int rank = 1; rank < transport.size(); ++rank)
        reports.push_back(unpack<Report>(transport.receive(rank)));
    std::vector<Command> commands = server->decide(reports, dt);
    const Decision decision = decide(server->last());
    for (Command& command : commands)
    {
        command.stops = decision.stops;
        command.saves = decision.saves;
    }
    for (int rank = 1; rank < transport.size(); ++rank)
        transport.send(rank, pack(commands[size_t(rank)]));
    return std::move(commands.front());
}

// Everybody's state goes to rank 0, which writes it and tells how it went.
Status save(const SharedScene& shared, const RunSettings& settings, const Worker& worker, const Server* server,
            Transport& transport)
{
    Gathered all = gather(worker, transport);
    if (!server)
    {
        transport.send(0, worker.save());
        const auto problem = unpack<std::string>(transport.receive(0));
        return problem.empty() ? Status(Ok{}) : Status(Error{problem});
    }
    Checkpoint checkpoint{fingerprint(shared.scene()),
                          worker.world().step_count(),
                          worker.world().time(),
                          server->save(),
                          {worker.save()},
                          std::move(all.bodies),
                          std::move(all.ringing),
                          server->shakes()};
    for (int rank = 1; rank < transport.size(); ++rank)
        checkpoint.workers.push_back(transport.receive(rank));
    const Status saved = save_checkpoint(checkpoint, settings.checkpoint_path);
    for (int rank = 1; rank < transport.size(); ++rank)
        transport.send(rank, pack(saved ? std::string() : saved.error().message));
    return saved;
}

void show(const RunSettings& settings, const Worker& worker, std::vector<ShownContact> contacts, const Server* server,
          Transport& transport)
{
    Gathered all = gather(worker, transport, std::move(contacts));
    if (!server)
        return;
    Shown shown{.step = worker.world().step_count(),
                .time = worker.world().time(),
                .state_hash = hash_of(all.bodies),
                .bodies = std::move(all.bodies),
                .last = server->last(),
                .contacts = std::move(all.contacts)};
    for (int32_t b = 0; b < server->sets().bodies(); ++b)
    {
        shown.masks.push_back(server->sets()[b]);
        const auto weights = count_of(shown.masks.back()) > 1 ? server->weights(b) : std::span<const float>();
        shown.weights.emplace_back(weights.begin(), weights.end());
    }
    settings.show(shown);
}

Status build(const Beginning& beginning, Worker& worker)
{
    if (!beginning.worker.empty())
        return worker.restore(beginning.worker);
    if (const Status built = worker.build(beginning.masks, beginning.owners); !built)
        return built;
    if (!beginning.bodies.empty())
        worker.place(beginning.bodies, beginning.ringing, beginning.step, beginning.time);
    return Ok{};
}

} // namespace

Result<std::optional<RunResult>> run_rank(const SharedScene& shared, const RunSettings& settings, Transport& transport)
{
    const SceneDescription& scene = shared.scene();
    const bool is_main = transport.rank() == 0;
    std::optional<Server> server;
    if (is_main)
        server.emplace(shared, transport.size());
    Server* main = is_main ? &*server : nullptr;
    const Beginning beginning = agree(shared, settings, main, transport);
    if (!beginning.problem.empty())
        return Error{beginning.problem};
    WorldDef settings_here = scene.world;
    if (const auto& solvers = scene.distribute.solvers; !solvers.empty())
        settings_here.solver = solvers[size_t(transport.rank()) % solvers.size()];
    Worker worker(shared, settings_here, transport.rank(), transport.size());
    if (const Status built = build(beginning, worker); !built)
        return built.error();
    const double energy_start = gather(worker, transport).energy;

    // What touches across workers from the beginning is shared before the first step.
    uint64_t step = beginning.step;
    const auto not_yet = [&](const ServerStep&) { return Decision{.stops = step >= settings.steps}; };
    Command command;
    command.stops = step >= settings.steps;
    if (beginning.worker.empty())
    {
        command = exchange(worker.report(scene.dt, transport), main, transport, scene.dt, not_yet);
        worker.apply(command, transport);
    }
    const auto decide = [&](const ServerStep& last) {
        Decision decision = settings.observe ? settings.observe(last, step) : Decision{};
        decision.stops |= step >= settings.steps;
        return decision;
    };
    if (settings.show)
        show(settings, worker, {}, main, transport);
    uint64_t bytes = transport.bytes_sent(), messages = transport.messages_sent();
    double waited = transport.waited_seconds();
    while (!command.stops)
    {
        worker.step(scene.dt, transport);
        ++step;
        // Before bodies move on to other workers: who speaks for a contact follows from who has the bodies.
        std::vector<ShownContact> contacts = settings.shows_contacts ? worker.contacts() : std::vector<ShownContact>();
        worker.blend_copies(transport);
        Report report = worker.report(scene.dt, transport);
        report.step.bytes = transport.bytes_sent() - bytes;
        report.step.messages = transport.messages_sent() - messages;
        bytes = transport.bytes_sent(), messages = transport.messages_sent();
        report.step.wait_ms = float(1000 * (transport.waited_seconds() - waited));
        waited = transport.waited_seconds();
        report.asks_to_stop = settings.asks_to_stop && settings.asks_to_stop();
        command = exchange(std::move(report), main, transport, scene.dt, decide);
        worker.apply(command, transport);
        if (settings.show)
            show(settings, worker, std::move(contacts), main, transport);
        if (!command.saves)
            continue;
        if (const Status saved = save(shared, settings, worker, main, transport); !saved)
            return saved.error();
    }
    Gathered all = gather(worker, transport);
    if (!is_main)
        return std::optional<RunResult>{};
    RunResult result;
    result.first_step = beginning.step;
    result.steps = step;
    result.time = worker.world().time();
    result.state_hash = hash_of(all.bodies);
    result.energy_start = energy_start;
    result.energy_end = all.energy;
    result.bodies = std::move(all.bodies);
    for (int32_t b = 0; b < server->sets().bodies(); ++b)
        result.masks.push_back(server->sets()[b]);
    return std::optional(std::move(result));
}

Result<RunResult> run_workers(std::shared_ptr<const SceneDescription> scene, const RunSettings& settings, int workers)
{
    if (const Status fine = check_distributable(*scene, workers); !fine)
        return fine.error();
    if (const Status valid = validate_scene(*scene); !valid)
        return valid.error();
    const SharedScene shared(std::move(scene));
    Result<RunResult> result = Error{"the run gave no result"};
    run_in_threads(workers, [&](Transport& transport) {
        Result<std::optional<RunResult>> ran = run_rank(shared, settings, transport);
        if (transport.rank() != 0)
            return;
        if (!ran)
            result = ran.error();
        else if (*ran)
            result = std::move(**ran);
    });
    return result;
}

} // namespace moraine::distribute
