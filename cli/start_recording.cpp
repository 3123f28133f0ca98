#include "cli/start_recording.h"

#include "viewer/details.h"
#include "viewer/scene_colors.h"

namespace moraine::cli
{

namespace
{

const char* solver_name(SolverKind solver)
{
    return solver == SolverKind::substep ? "substep" : solver == SolverKind::pgs ? "pgs" : "direct";
}

RecordInfo record_info(const Scene& scene, const std::vector<std::string>& parameters)
{
    const WorldDef& settings = scene.world().settings();
    RecordInfo info;
    info.scene = scene.description().name;
    info.description = scene.description().description;
    info.dt = double(scene.description().dt);
    info.settings = {{"solver", solver_name(settings.solver)},
                     {"substeps", std::to_string(settings.substeps)},
                     {"iterations", std::to_string(settings.iterations)},
                     {"merging", settings.merging ? "on" : "off"},
                     {"sleeping", settings.sleeping ? "on" : "off"},
                     {"threads", std::to_string(settings.threads)}};
    for (const std::string& parameter : parameters)
    {
        const size_t equals = parameter.find('=');
        info.settings["parameter " + parameter.substr(0, equals)] = equals == std::string::npos
                                                                        ? ""
                                                                        : parameter.substr(equals + 1);
    }
    return info;
}

Result<viewer::Details> details_for(const RunOptions& options, const Scene& scene,
                                    std::vector<viewer::Channel> channels, viewer::ContactsOf contacts_of = {})
{
    auto details = viewer::Details::create(options.record_details, std::move(channels), scene.world(),
                                           std::move(contacts_of));
    if (!details)
        return Error{"--record-details: " + details.error().message};
    return details;
}

} // namespace

Status check_record_details(const RunOptions& options, const Scene& scene, std::vector<viewer::Channel> channels)
{
    if (options.record_details.empty())
        return Ok{};
    if (options.record.empty())
        return Error{"--record-details: say where to with --record FILE.mrec"};
    const auto details = details_for(options, scene, std::move(channels));
    return details ? Status(Ok{}) : Status(details.error());
}

Result<Recorder> start_recording(const RunOptions& options, const Scene& scene, std::vector<viewer::Channel> channels,
                                 viewer::ContactsOf contacts_of)
{
    RecordInfo info = record_info(scene, options.parameters);
    DetailsOf details_of;
    if (!options.record_details.empty())
    {
        const auto details = details_for(options, scene, std::move(channels), std::move(contacts_of));
        if (!details)
            return details.error();
        info.details = details->describe();
        details_of = [all = *details](const World& world, ByteWriter& out) { all.write(world, out); };
    }
    return Recorder::create(options.record, scene.world(), std::move(info), viewer::scene_colors(scene),
                            std::move(details_of));
}

} // namespace moraine::cli
