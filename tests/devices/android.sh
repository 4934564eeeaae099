#!/bin/sh
# examples/android.c compiles for 64-bit ARM as strictly as our code, and translates:  android.sh TREE ROOT
# TREE is built by the preset aarch64. jni.h is that of Android (Debian's android-libnativehelper-dev).
set -eu
tree=$1 root=$2 headers=/usr/include/android/nativehelper
[ -e $headers/jni.h ] || { echo 'left out: the example for Android, for want of jni.h'; exit 0; }
aarch64-linux-gnu-gcc -std=c11 -O2 -Wall -Wextra -Werror -I"$root/include" -isystem $headers -shared -fPIC \
    "$root/examples/android.c" "$tree/lib/libramus.a" -lm -pthread -Wl,--no-undefined -o "$tree/libramus-jni.so"
aarch64-linux-gnu-gcc -std=c11 -O2 -Wall -Wextra -Werror -I"$root/include" -isystem $headers -static \
    "$root/tests/devices/android.c" "$root/examples/android.c" "$tree/lib/libramus.a" -lm -pthread -o "$tree/android"
got=$(QEMU_CPU=cortex-a76 qemu-aarch64 "$tree/android" "$root/models/en-de.gguf" 'Where is the station?')
[ "$got" = 'Wo ist der Bahnhof?' ] || { echo "example for Android: got '$got'"; exit 1; }
echo "example for Android: $(aarch64-linux-gnu-nm -D --defined-only "$tree/libramus-jni.so" | grep -c Java_) native methods, $got"
