import type { ApiResponse } from '../../service/api';
import { callerOf } from '../document/contract';
import type { Operation } from '../document/openapi';
import type { Caller } from '../session/caller';
import type { Session } from '../session/session';
import { PEOPLE_SAMPLES } from './samples-of-people';
import { pathOf, type Sample, type Samples } from './sample';
import { EVENT_SAMPLES } from './samples-of-events';
import { INCIDENT_SAMPLES } from './samples-of-incidents';
import { PROBE_SAMPLES } from './samples-of-probes';
import { REPORT_SAMPLES } from './samples-of-reports';
import { RESOURCE_SAMPLES } from './samples-of-resources';
import { Scene } from './scene';

/** A successful request for each operation in the contract. */
export const SAMPLES: Samples = {
  ...RESOURCE_SAMPLES,
  ...EVENT_SAMPLES,
  ...INCIDENT_SAMPLES,
  ...PEOPLE_SAMPLES,
  ...PROBE_SAMPLES,
  ...REPORT_SAMPLES,
};

/** Returns an operation's sample, creating the resources that it needs. */
export async function sampleOf(scene: Scene, { operationId, name }: Operation): Promise<Sample> {
  const make = SAMPLES[operationId];
  if (!make) throw new Error(`${name} has no sample: add it to packages/testing/contract/rules`);
  return make(scene);
}

/**
 * Returns the least privileged caller allowed to run an operation. Samples for persons contain a cookie, and samples
 * for probes contain a token.
 */
export function callerFor(session: Session, operation: Operation): Caller {
  const caller = callerOf(operation);
  return caller === 'public' || caller === 'person' || caller === 'probe' ? session.anonymous : session[caller];
}

export const sendTo = <Body = never>(
  by: Caller,
  { method, path }: Operation,
  sample: Sample,
): Promise<ApiResponse<Body>> => by.send<Body>(method, pathOf(path, sample), sample);

/** Whether the body is an object with documented fields rather than a document or a file. */
export const hasFields = ({ requestBody }: Operation): boolean =>
  requestBody?.content['application/json']?.schema.$ref !== undefined;
