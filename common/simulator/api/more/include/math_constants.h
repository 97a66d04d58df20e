#include "../prelude.h"
