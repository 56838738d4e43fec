import type { ApiDocument } from '../logic/config-schema';
import { get } from './client';

let loaded: Promise<ApiDocument> | null = null;

/** The OpenAPI document of the running service; loaded once per page. */
export function loadDocument(): Promise<ApiDocument> {
  loaded ??= get<ApiDocument>('/api/v1/openapi.json');
  loaded.catch(() => {
    loaded = null;
  });
  return loaded;
}
