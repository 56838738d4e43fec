import { SchedulerRegistry } from '@nestjs/schedule';
import { ConsistencyJob } from '../../src/alert/consistency/consistency.job';
import { DeliveryClaim } from '../../src/delivery/send/claim';
import { armFailpoints } from '../../src/platform/observability/failpoints';
import { DeliveryScene } from '../harness/app/delivery-scene';
import { SwitchableServer } from '../harness/servers/switchable-server';
import { eventually } from '../../packages/testing/eventually';

describe('deliveries that hang without an error', () => {
  it('finds stuck deliveries within two minutes: the consistency check fails, the heartbeat stops, liveness is 503', async () => {
    const heartbeat = await SwitchableServer.start();
    const scene = await DeliveryScene.start({ heartbeatUrl: heartbeat.url });
    const job = scene.nest.get(ConsistencyJob);
    await scene.nest.get(SchedulerRegistry).getCronJob('consistency-check').stop();
    const alert = await scene.alert('webhook');
    // A run that cron started on the full minute may still be in progress.
    await eventually('the consistency check passes', async () => {
      await job.tick();
      return heartbeat.seen.length > 0;
    });
    const beats = heartbeat.seen.length;
    expect((await fetch(`${scene.app.url}/health/live`)).status).toBe(200);

    const claims = jest.spyOn(scene.nest.get(DeliveryClaim), 'due');
    armFailpoints(['outbox.before_claim=hang']);
    await scene.report('F', alert);
    await eventually('a claim has found the delivery, and hangs', async () => {
      const found = await Promise.all(
        claims.mock.results.map(({ value }) => value as ReturnType<DeliveryClaim['due']>),
      );
      return found.some((destinations) => destinations.length > 0);
    });
    scene.clock.advance(65_000);
    expect((await job.run()).map(({ kind }) => kind)).toEqual(['message_overdue']);
    await job.tick();
    expect(heartbeat.seen).toHaveLength(beats);
    scene.clock.advance(45_000);
    const live = await fetch(`${scene.app.url}/health/live`);
    expect(live.status).toBe(503);
    expect(await live.text()).toContain('deliveries');

    armFailpoints([]);
    await scene.close();
    await heartbeat.close();
  }, 60_000);
});
