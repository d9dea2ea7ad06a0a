#pragma once
namespace board { int cell(int turn); }
