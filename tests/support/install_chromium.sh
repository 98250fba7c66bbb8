#!/bin/sh
# Install Debian's Chromium, in which tests open pages; without it they fail.
command -v chromium >/dev/null && command -v chromedriver >/dev/null && exit
if [ "$(id -u)" -ne 0 ] || ! command -v apt-get >/dev/null; then
    echo "Chromium is not installed, which needs root and apt-get: the tests of pages will fail"
    exit
fi
export DEBIAN_FRONTEND=noninteractive
{ apt-get -qq update \
    && timeout 900 apt-get -qq install --no-install-recommends chromium chromium-driver fonts-dejavu-core; } \
    >/dev/null 2>&1 || echo "Chromium could not be installed: the tests of pages will fail"
