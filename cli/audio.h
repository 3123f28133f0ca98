// The sound of a run: hits on bodies with a response model, from their modes.
#pragma once

#include "respond/sound.h"

#include <moraine/world.h>

#include <string>

namespace moraine::cli
{

class AudioFile
{
public:
    AudioFile(std::string path, double start) : path_(std::move(path)), start_(start) {}
    void add(const World& world); // the impacts of its last step
    Status close(double end);     // writes the file

private:
    std::string path_;
    double start_ = 0; // of the world's time
    ModalSound sound_;
};

} // namespace moraine::cli
