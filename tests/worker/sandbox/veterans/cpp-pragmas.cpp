#pragma GCC optimize("O3,inline,omit-frame-pointer,unroll-loops")
#pragma GCC target("avx2,bmi,bmi2,lzcnt,popcnt")
#include <bits/stdc++.h>
#include <immintrin.h>
using namespace std;

int main() {
    ios::sync_with_stdio(false);
    for (int turn; cin >> turn;) {
        unsigned __int128 wide = (unsigned __int128)turn << 70;
        __m256i eight = _mm256_set1_epi32(turn);
        alignas(32) int out[8];
        _mm256_store_si256((__m256i *)out, _mm256_sub_epi32(eight, _mm256_setzero_si256()));
        cout << "REPLY " << (int)(wide >> 70) + out[7] - turn << endl;
    }
}
