import { resolve } from 'node:path';
import { endSharedServices, keepSharedServices } from './app/shared-services';

const ROOT = resolve(__dirname, '../..');
/** What a spec may listen to, and must have ceased to in its end. */
const EVENTS = ['uncaughtException', 'unhandledRejection', 'SIGTERM', 'SIGINT', 'warning'] as const;

/** What a spec may not change for those that run after it in the same process. */
const surroundings = (): Record<string, unknown> => ({
  directory: process.cwd(),
  environment: { ...process.env },
  listeners: EVENTS.map((name) => `${name}: ${process.listenerCount(name)}`),
});

/**
 * Runs these specs one after the other as one file of Jest: they share modules and the services of `startApp`. Each begins
 * as it would alone and leaves nothing behind in the process; the services end empty, with invariants that hold.
 */
export function describeFiles(files: readonly string[]): void {
  keepSharedServices();
  for (const file of files) {
    describe(file, () => {
      let before: Record<string, unknown> = {};
      beforeAll(() => {
        before = surroundings();
        expect.setState({ testPath: resolve(ROOT, file) });
      });
      load(file);
      afterAll(() => {
        jest.restoreAllMocks();
        jest.useRealTimers();
        expect(surroundings()).toEqual(before);
      });
    });
  }
  describe('the services that were shared', () => {
    it('are left with nothing of the specs in them', endSharedServices);
  });
}

/** A spec that cannot be loaded is a failed test of its own, not the end of the group. */
function load(file: string): void {
  try {
    expect.setState({ testPath: resolve(ROOT, file) });
    jest.requireActual(resolve(ROOT, file));
  } catch (error) {
    it('can be loaded', () => {
      throw error;
    });
  }
}
