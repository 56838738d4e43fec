import type { Provider } from '@nestjs/common';
import { CheckDispatcher } from './dispatch/check-dispatcher';
import { CheckPlaces } from './dispatch/check-places';
import { Overload } from './dispatch/overload';
import { EngineMetrics } from './engine.metrics';
import { CheckRunner } from './run/check-runner';
import { CheckerBugs } from './run/checker-bugs';
import { Connectivity } from './run/connectivity';
import { NetworkLookup } from './run/network-state';
import { StallDetector } from './run/stall-detector';

/** What runs checks. A module that lists these provides a `ResultSink` and a `BeforeTrigger` beside them. */
export const ENGINE: readonly Provider[] = [
  EngineMetrics,
  // dispatch: which check begins when
  Overload,
  CheckPlaces,
  CheckDispatcher,
  // run: one check, and whether its failure is the target's
  CheckRunner,
  CheckerBugs,
  StallDetector,
  NetworkLookup,
  Connectivity,
];
