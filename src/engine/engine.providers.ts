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

/** The providers that run checks. A module that lists these must also provide a `ResultSink` and a `BeforeTrigger`. */
export const ENGINE: readonly Provider[] = [
  EngineMetrics,
  // dispatch: when each check starts
  Overload,
  CheckPlaces,
  CheckDispatcher,
  // run: runs one check and decides whether the target caused its failure
  CheckRunner,
  CheckerBugs,
  StallDetector,
  NetworkLookup,
  Connectivity,
];
