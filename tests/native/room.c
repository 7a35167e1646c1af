/* Does nothing. It is linked with one room of c_src and the rooms below it (CMakeLists.txt), and that is the test: a function
 * that calls one of a room above it leaves a name without a place, and the program does not link. */
int main(void) { return 0; }
