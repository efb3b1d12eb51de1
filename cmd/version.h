#ifndef CMD_VERSION_H
#define CMD_VERSION_H

#define PMUPROF_VERSION "0.1"

#endif
