import { checkNow, testTarget } from './check-tools';
import { applyConfiguration, planConfiguration } from './configuration-tools';
import { createEndpoint } from './create-endpoint';
import { explainEndpoint } from './explain-endpoint';
import { explainIncident, listIncidents, postIncidentUpdate } from './incident-tools';
import { listEndpoints } from './list-endpoints';
import { listProbes } from './list-probes';
import { overview } from './overview';
import { acknowledge, mute } from './quiet-tools';
import type { Tool } from './tool';

/** All tools, in the order they are listed. */
export const TOOLS: readonly Tool[] = [
  overview,
  listEndpoints,
  explainEndpoint,
  listIncidents,
  explainIncident,
  listProbes,
  planConfiguration,
  testTarget,
  checkNow,
  createEndpoint,
  acknowledge,
  mute,
  postIncidentUpdate,
  applyConfiguration,
];
