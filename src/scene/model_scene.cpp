#include "scene/model_scene.h"

#include "scene/builder.h"

#include <filesystem>

namespace moraine
{

Result<SceneDescription> load_model_scene(const std::string& path)
{
    const Result<ResponseModel> model = load_response_model(path);
    if (!model)
        return model.error();
    std::vector<uint32_t> corners;
    for (const auto& triangle : model->triangles)
        corners.insert(corners.end(), triangle.begin(), triangle.end());
    const Result<MeshRef> mesh = make_mesh(model->vertices, corners);
    if (!mesh)
        return Error{path + ": " + mesh.error().message};
    SceneDescription scene;
    scene.name = std::filesystem::path(path).stem().string();
    scene.description = "a vibration model; its shapes are under Vibration";
    SceneBody body = make_static({0, 0, 0}, *mesh);
    body.response = SceneResponse{.file = path, .geodesics = false};
    add(scene, std::move(body), scene.name, MaterialColor::wood);
    return scene;
}

} // namespace moraine
