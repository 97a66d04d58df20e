/// @file
/// @brief Checks of what the application reads, makes and prints.
#pragma once

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>
#include <vector>

#include "../measuring/joint_map.hpp"
#include "../pairs/made_pairs.hpp"
#include "../pairs/pairs.hpp"
#include "cases.cuh"

namespace pair_checks {

Pairs<double> parse(const std::string& text, const std::string& columns = "") {
    return parse_pairs("f.csv", text, columns);
}

/// The parser's message about a text; empty if it accepts the text.
std::string refusal(const std::string& text, const std::string& columns = "") {
    return thrown_by([&] { parse(text, columns); });
}

TEST_CASE("columns are read by name, with any line ends, quotes and spaces") {
    const auto right = [](const Pairs<double>& pairs) {
        return pairs.first == std::vector<double>{1, -2.5e-3} && pairs.second == std::vector<double>{3, 4};
    };
    CHECK(right(parse("a,b\n1,3\n-2.5e-3,4\n")));
    CHECK(right(parse("a,b\r\n1,3\r\n-2.5e-3,4\r\n")));
    CHECK(right(parse("a,b\r1,3\r-2.5e-3,4")));
    CHECK(right(parse("\xEF\xBB\xBFx,b\n1,3\n\n\n-2.5e-3,4\n\n", "x,b")));
    CHECK(right(parse("a,b\n\"1\",\"+3\"\n -2.5e-3 ,4.0\n")));
    CHECK(right(parse("a,b,c\n3,x,1\n4,\"y\ny\",-.0025\n", "c,a")));
    const Pairs<double> named = parse("\"the \"\"x\"\"\",the\x1b y\n1,3\n");
    CHECK(named.first_name == "the \"x\"");
    CHECK(named.second_name == "the\\x1b y");
    CHECK(parse("x,y\n").first.empty());
    CHECK(parse("x,y\n5,5\n", "x,x").second == std::vector<double>{5});
}

TEST_CASE("anything but a table of finite numbers is rejected, with file, line and column") {
    CHECK(refusal("x,y\n1,2\n3,\n") == "f.csv, line 3, column 2 (y): the value is missing");
    CHECK(refusal("x,y\n3,nan\n") == "f.csv, line 2, column 2 (y): 'nan' is not a finite number");
    CHECK(refusal("x,y\nInf,-inf\n").find("line 2, column 1 (x): 'Inf'") != std::string::npos);
    for (const char* bad : {"1e999", "0x10", "2 3", "\" 2 \"", "2;3", "4,5"})
        CHECK(refusal("x,y\n1," + std::string(bad) + "\n").find("f.csv, line 2") == 0);
    CHECK(refusal("x,y\n1,\" 2 \"\n").find("column 2 (y): ' 2 '") != std::string::npos);
    CHECK(refusal(std::string("x,y\n1,2\0\n", 9)).find("column 2") != std::string::npos);
    CHECK(refusal("x,y\n1,2\n3\n") == "f.csv, line 3: the first line names 2 columns, but this one has 1");
    CHECK(refusal("x,y\n1,2,3\n") == "f.csv, line 2: the first line names 2 columns, but this one has 3");
    CHECK(refusal("x,y\r1,2\r3,\r").find("f.csv, line 3,") == 0);
    CHECK(refusal("x,y\r\n1,2\r\n3,\r\n").find("f.csv, line 3,") == 0);
    CHECK(refusal("x,y\n\"1\n\",2\n").find("line 3, column 1 (x)") != std::string::npos);
    CHECK(refusal("x,y\n3,4\"5\n") == "f.csv, line 2: a quotation mark is in the wrong place");
    CHECK(refusal("x,y\n3,\"4\n") == "f.csv, line 2: the file ends inside quotation marks");
    CHECK(refusal("x,y\n1,2\n1,5,2,5\n") ==  // with decimal commas
          "f.csv, line 3: the first line names 2 columns, but this one has 4");
    CHECK(refusal("x,y\n" + std::string(100000, ',')) == "f.csv, line 2: there are more than 65536 columns");
    CHECK(refusal("") == "f.csv: the file is empty");
    CHECK(refusal("\n\r\n") == "f.csv: the file is empty");
}

TEST_CASE("a file whose first line does not name the columns is rejected") {
    for (const char* bad : {"1,2\n3,4\n", "x,1\n", "x,nan\n", "x,\n", "x,y,-inf\n"})
        CHECK(refusal(bad).find("must name every column") != std::string::npos);
    CHECK(refusal("1,2\n3,4\n").find("f.csv, line 1, column 1: '1'") == 0);
    CHECK(refusal("x;y\n1;2\n") == "f.csv, line 1: pairs need two columns, but there is only one");
    CHECK(refusal("x,y\n1,2\n", "x,z") == "--columns: f.csv has no column 'z'");
    CHECK(refusal("x,y,x\n1,2,3\n", "x,y") == "--columns: f.csv has several columns 'x'");
}

TEST_CASE("whatever is done to a file, it is read as finite numbers or rejected in one line") {
    const std::string good = "x,\"y, z\",w\r\n1.5,-2e3,7\r\n\"3\",4,\"a \"\"b\"\"\"\r\n-0,1e-300,\r\n";
    const std::string bytes = "0123456789.,;\"\n\r\t eE+-naifx\0\x1b\xEF\xFF";
    Random random(5);
    for (int round = 0; round < 4000; ++round) {
        std::string text = good;
        for (std::size_t change = random() % 6 + 1; change > 0 && !text.empty(); --change) {
            const std::size_t at = random() % text.size();
            switch (random() % 4) {
                case 0: text.erase(at, random() % 4 + 1); break;
                case 1: text.insert(at, 1, bytes[random() % bytes.size()]); break;
                case 2: text[at] = static_cast<char>(random()); break;
                default: text.insert(at, text.substr(random() % text.size(), random() % 20));
            }
        }
        try {
            const Pairs<double> pairs = parse(text);
            REQUIRE(pairs.first.size() == pairs.second.size());
            for (const double value : pairs.first) REQUIRE(std::isfinite(value));
            for (const double value : pairs.second) REQUIRE(std::isfinite(value));
        } catch (const BadOption& error) {
            const std::string what = error.what();
            REQUIRE(!what.empty());
            REQUIRE(std::none_of(what.begin(), what.end(), [](unsigned char c) { return c < ' '; }));
        }
    }
}

TEST_CASE("the same seed makes the same pairs on every platform") {
    const Pairs<float> clouds = make_pairs("clouds", 1000, 1);
    CHECK(clouds.first == make_pairs("clouds", 1000, 1).first);
    CHECK(clouds.first != make_pairs("clouds", 1000, 2).first);
    for (const NamedPairs& input : named_pairs()) CHECK(make_pairs(input.name, 7, 1).second.size() == 7);
    const Pairs<float> uniform = make_pairs("uniform", 1, 5489);  // the first draw is 0xC96D191CF6F6AEA6
    CHECK(uniform.first[0] == 0xC96D19p-24f);
    CHECK_THROWS_AS(make_pairs("nothing", 1, 1), std::invalid_argument);
    const MadeWeights weights = make_weights(1000, 1);
    for (std::size_t i = 0; i < 1000; ++i)
        CHECK((weights.spread[i] >= 0 && weights.spread[i] < 1 && weights.whole[i] < 1 << 24));
}

TEST_CASE("a coarser map holds the same pairs in the same places") {
    const JointHistogram fine{"x", "y", {0, 5, 5}, {0, 2, 2}, {1, 2, 3, 4, 5, 10, 20, 30, 40, 50}};
    CHECK(coarser(fine, 2, 1) == Results{3, 7, 5, 30, 70, 50});
    CHECK(coarser(fine, 1, 2) == Results{11, 22, 33, 44, 55});
    CHECK(coarser(fine, 1, 1) == fine.bins);
}

}  // namespace pair_checks
