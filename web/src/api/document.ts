import type { ApiDocument } from '../logic/config-schema';
import { get } from './client';

/** With the version of the service. */
type Served = ApiDocument & { info: { version: string } };

let loaded: Promise<Served> | null = null;

/** The OpenAPI document of the running service; loaded once per page. */
export function loadDocument(): Promise<Served> {
  loaded ??= get<Served>('/api/v1/openapi.json');
  loaded.catch(() => {
    loaded = null;
  });
  return loaded;
}
