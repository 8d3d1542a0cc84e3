//===- Translations.cpp - what bsmm-translate writes ----------------------===//

#include "bsmm/Registration/Registration.h"

void bsmm::registerTranslations() {}
