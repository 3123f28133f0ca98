#include "cli/record_info.h"

namespace moraine::cli
{

namespace
{

const char* solver_name(SolverKind solver)
{
    return solver == SolverKind::substep ? "substep" : solver == SolverKind::pgs ? "pgs" : "direct";
}

} // namespace

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

} // namespace moraine::cli
