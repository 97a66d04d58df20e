// Numbers and images in files, read and written by the functions of NVIDIA's samples.
#include <helper_functions.h>
#include <helper_image.h>
#include <unistd.h>

#include <string>

#include "check.h"

int main() {
    char folder[] = "/tmp/filesXXXXXX";
    CHECK(mkdtemp(folder) != nullptr);
    const std::string path = std::string(folder) + "/file";
    const char* const name = path.c_str();

    const float numbers[] = {1.5f, -2, 1e-3f};
    float* read = nullptr;
    unsigned int count = 0;
    CHECK(sdkWriteFile(name, numbers, 3, 0.5f, false));
    CHECK(sdkReadFile(name, &read, &count, false));
    CHECK(count == 3 && compareData(numbers, read, 3, 0.0f, 0.0f));
    count = 2;
    CHECK(!sdkReadFile(name, &read, &count, false));  // the buffer is too small
    free(read);

    float copy[] = {1.5f, -2, 1e-3f};
    sdkDumpBin(copy, sizeof(copy), name);
    const std::string other = path + "2";
    copy[1] = -2.5f;
    sdkDumpBin(copy, sizeof(copy), other.c_str());
    CHECK(sdkCompareBin2BinFloat(name, other.c_str(), 3, 0.5f, 0.0f, nullptr));
    CHECK(!sdkCompareBin2BinFloat(name, other.c_str(), 3, 0.4f, 0.0f, nullptr));

    unsigned char pixels[] = {255, 0, 10, 9, 1, 2, 3, 8};  // each pixel's fourth byte is not saved
    unsigned char* loaded = nullptr;
    unsigned int width = 0, height = 0;
    CHECK(sdkSavePPM4ub(name, pixels, 1, 2));
    CHECK(sdkLoadPPM4ub(name, &loaded, &width, &height));
    CHECK(width == 1 && height == 2 && loaded[0] == 255 && loaded[2] == 10 && loaded[3] == 0 &&
          loaded[6] == 3);
    CHECK(sdkComparePPM(name, name, 0, 0, false));
    free(loaded);

    float grey[] = {0, 1, 0.5f}, *levels = nullptr;
    CHECK(sdkSavePGM(name, grey, 3, 1));
    CHECK(sdkLoadPGM(name, &levels, &width, &height));
    CHECK(width == 3 && levels[1] == 1 && levels[2] == 127 / 255.0f);
    free(levels);
    FILE* const file = fopen(name, "w");
    fputs("P5 # a comment\n# another\n2\t1\n255\nA", file);
    fclose(file);
    unsigned char* bytes = nullptr;
    CHECK(freopen("/dev/null", "w", stderr) != nullptr);
    CHECK(!sdkLoadPGM(name, &bytes, &width, &height));  // a byte is missing
    unlink(name), unlink(other.c_str()), rmdir(folder);
}
