/// @file
/// @brief Writes data as JSON, which the tools read.
#pragma once

#include <cstdio>
#include <ostream>
#include <string>
#include <type_traits>

/// A JSON object, written one member after another.
class Json {
 public:
    /// Begins the object.
    explicit Json(std::ostream& out) : out_(out) { out_ << "{"; }
    /// Ends the object.
    void end() { out_ << "}"; }
    /// Adds members, each given by its name and its value: a string, a number or a bool.
    template <typename T, typename... Rest>
    Json& add(const char* name, const T& value, const Rest&... rest) {
        begin(name);
        if constexpr (std::is_convertible_v<T, std::string>)
            quote(value);
        else if constexpr (std::is_same_v<T, bool>)
            out_ << (value ? "true" : "false");
        else
            out_ << value;
        if constexpr (sizeof...(rest) > 0) add(rest...);
        return *this;
    }
    /// Adds an array of numbers.
    template <typename Range>
    Json& numbers(const char* name, const Range& range) {
        return items(name, range, [&](auto number) { out_ << number; });
    }
    /// Adds an array of strings.
    template <typename Range>
    Json& texts(const char* name, const Range& range) {
        return items(name, range, [&](const std::string& text) { quote(text); });
    }
    /// Adds an object, which `write` fills.
    template <typename Write>
    Json& object(const char* name, const Write& write) {
        begin(name);
        Json inner(out_);
        write(inner);
        inner.end();
        return *this;
    }
    /// Adds an array of objects, each of which `write` fills for one item of the range.
    template <typename Range, typename Write>
    Json& list(const char* name, const Range& range, const Write& write) {
        return items(name, range, [&](const auto& item) {
            Json inner(out_);
            write(inner, item);
            inner.end();
        });
    }

 private:
    void begin(const char* name) {
        out_ << (is_empty_ ? "" : ",");
        quote(name);
        out_ << ":";
        is_empty_ = false;
    }
    void quote(const std::string& text) {
        out_ << '"';
        for (const char c : text) {
            char escaped[8];
            std::snprintf(escaped, sizeof(escaped), "\\u%04x", static_cast<unsigned char>(c));
            if (static_cast<unsigned char>(c) < ' ')
                out_ << escaped;
            else
                out_ << (c == '"' || c == '\\' ? "\\" : "") << c;
        }
        out_ << '"';
    }
    template <typename Range, typename Write>
    Json& items(const char* name, const Range& range, const Write& write) {
        begin(name);
        out_ << "[";
        const char* before = "";
        for (const auto& item : range) {
            out_ << before;
            write(item);
            before = ",";
        }
        out_ << "]";
        return *this;
    }
    std::ostream& out_;
    bool is_empty_ = true;
};
