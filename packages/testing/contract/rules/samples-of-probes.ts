import { newProbe, newSharedProbe } from '../session/things';
import type { Samples } from './sample';
import type { Scene } from './scene';

const idOf = async (making: Promise<{ id: string }>) => ({ params: { id: (await making).id } });
const probe = async (scene: Scene) => ({ params: { id: await scene.probe() } });
const shared = async (scene: Scene) => ({ params: { id: await scene.sharedProbe() } });

const SESSION = 'contract-0000000000';

/** Returns what a probe sends, including its token. */
const called = async (scene: Scene, json: object) => ({
  headers: { authorization: `Bearer ${(await scene.callingProbe()).token}` },
  json: { protocol: 1, session: SESSION, ...json },
});

/** Samples for managing private and shared probes, and for the requests that a probe sends. */
export const PROBE_SAMPLES: Samples = {
  listProbes: () => ({ query: 'limit=2&status=new' }),
  createProbe: ({ session }) => ({ json: { key: session.key('probe') } }),
  getProbe: probe,
  updateProbe: async (scene) => ({ ...(await probe(scene)), json: { region: 'eu' } }),
  deleteProbe: ({ session }) => idOf(newProbe(session)),
  rotateProbe: async (scene) => ({ ...(await probe(scene)), json: { grace: 60 } }),

  listSharedProbes: () => ({ query: 'limit=2' }),
  createSharedProbe: ({ session }) => ({ json: { key: session.key('probe') } }),
  getSharedProbe: shared,
  updateSharedProbe: async (scene) => ({ ...(await shared(scene)), json: { region: 'eu' } }),
  deleteSharedProbe: ({ session }) => idOf(newSharedProbe(session)),
  pollProbe: (scene) =>
    called(scene, {
      standby: false,
      cursor: null,
      wait: 0,
      version: '0.1.0',
      types: ['HTTP'],
      clock: Date.now(),
      count: 0,
      digest: null,
      buffered: 0,
      dropped: 0,
      skipped: 0,
      lag_ms: 0,
      rtt_ms: 0,
    }),
  sendProbeResults: (scene) => called(scene, { results: [] }),

  rotateSharedProbe: async (scene) => ({ ...(await shared(scene)), json: {} }),
};
