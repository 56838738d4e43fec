import { get, query } from '../api/client';
import type { MaintenanceWindow, Occurrence } from '../api/types';

/** The maximum number of windows to draw for an endpoint, newest first. */
const MOST = 5;

/** Returns when the windows that cover an endpoint are active between two times. */
export async function occurrencesOf(
  endpointId: string,
  fromMs: number,
  toMs: number,
  signal: AbortSignal,
): Promise<Occurrence[]> {
  const windows = await get<MaintenanceWindow[]>(
    `/api/v1/maintenance-windows${query({ endpoint_id: endpointId, limit: MOST })}`,
    signal,
  );
  const from = new Date(fromMs).toISOString();
  const lists = await Promise.all(
    windows.map(({ id }) =>
      get<Occurrence[]>(`/api/v1/maintenance-windows/${id}/occurrences${query({ from, limit: 100 })}`, signal),
    ),
  );
  return lists.flat().filter(({ starts_at }) => Date.parse(starts_at) < toMs);
}
