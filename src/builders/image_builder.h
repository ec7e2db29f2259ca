#pragma once

#include "builders/build_order.h"

namespace roost {

// An image by buildah, of a base image or a Dockerfile with the pip packages on top (conda packages
// only where the image has a conda), laid out as a plain folder, `rootfs` in the order's: a run then
// needs no container program. With a registry in the settings it is looked for there first and pushed
// there last. Layers are kept between builds in `images` beside the folder of environments.
Result<BuiltEnvironment> build_image(const BuildOrder& order, const BuildLog& log);

// The Dockerfile that is built: the definition's, and what is installed on top.
Result<std::string> image_steps(const BuildOrder& order);

}  // namespace roost
