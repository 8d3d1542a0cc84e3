/*===- CInterface.h - What the C test offers ---------------------*- C -*-===*/

#ifndef BSMM_TEST_UNIT_EMULATOR_CINTERFACE_H
#define BSMM_TEST_UNIT_EMULATOR_CINTERFACE_H

#ifdef __cplusplus
extern "C" {
#endif

/* Each runs a test and returns 0, or the line that failed. */
int testRunFromC(void);
int testErrorsFromC(void);
/* `folder` ends in a slash and may be written to. */
int testLaunchFileFromC(const char *folder);

#ifdef __cplusplus
}
#endif

#endif
