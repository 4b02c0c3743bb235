/* The program that the registry hashes: Python as a library, and behind the end of this
   program, as a zip file, the engine. No second program is started: a confined engine
   may not. -I: nothing of the environment, no user's own packages. */
#include <Python.h>

int main(void) {
	char *argv[] = {"/usr/bin/python3", "-I", "-B", "/proc/self/exe", NULL};
	return Py_BytesMain(4, argv);
}
