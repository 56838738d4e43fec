import { Database } from '../../../src/platform/database/database';
import { DatabaseClock } from '../../../src/platform/database/database-clock';
import { startOwnApp, type TestApp } from '../../harness/app/app';
import { MovingClock } from '../../../packages/testing/service/moving-clock';

describe('a clock that a test has frozen', () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startOwnApp();
  });
  afterAll(() => app.close());

  it("also replaces the database's time, no matter how late its replies come, and moves as far as the test says", async () => {
    const moving = MovingClock.frozenIn(app.app);
    const clock = app.app.get(DatabaseClock);
    const began = clock.now().getTime();
    for (const seconds of [0.2, 0, 0.1]) {
      const late = app.app.get(Database).query('SELECT pg_sleep($1)', [seconds]);
      await clock.readNow();
      await late;
      expect(clock.now().getTime()).toBe(began);
    }
    moving.advance(5000);
    await clock.readNow();
    expect(clock.now().getTime()).toBe(began + 5000);
  });
});
