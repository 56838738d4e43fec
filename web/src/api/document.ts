import type { ApiDocument } from '../logic/config-schema';
import { get } from './client';

type Served = ApiDocument & { info: { version: string } };

let loaded: Promise<Served> | null = null;

/** Returns the running service's OpenAPI document. It is loaded once per page. */
export function loadDocument(): Promise<Served> {
  loaded ??= get<Served>('/api/v1/openapi.json');
  loaded.catch(() => {
    loaded = null;
  });
  return loaded;
}
