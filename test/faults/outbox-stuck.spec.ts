import { SchedulerRegistry } from '@nestjs/schedule';
import { ConsistencyJob } from '../../src/alert/consistency/consistency.job';
import { DeliveryClaim } from '../../src/delivery/send/claim';
import { armFailpoints } from '../../src/platform/observability/failpoints';
import { DeliveryScene } from '../harness/app/delivery-scene';
import { SwitchableServer } from '../harness/servers/switchable-server';
import { eventually } from '../harness/app/poll';

describe('deliveries that are silently stuck', () => {
  it('are found within two minutes: the audit fails, the heartbeat stops, liveness asks for a restart', async () => {
    const heartbeat = await SwitchableServer.start();
    const scene = await DeliveryScene.start({ heartbeatUrl: heartbeat.url });
    const auditor = scene.nest.get(ConsistencyJob);
    await scene.nest.get(SchedulerRegistry).getCronJob('consistency-check').stop();
    const alert = await scene.alert('webhook');
    // One that the full minute has begun may be under way; the next waits for it.
    await eventually('the audit passes', async () => {
      await auditor.tick();
      return heartbeat.seen.length > 0;
    });
    const beats = heartbeat.seen.length;
    expect((await fetch(`${scene.app.url}/health/live`)).status).toBe(200);

    const looks = jest.spyOn(scene.nest.get(DeliveryClaim), 'due');
    armFailpoints(['outbox.before_claim=hang']);
    await scene.report('F', alert);
    await eventually('a look has found the message, and hangs', async () => {
      const found = await Promise.all(looks.mock.results.map(({ value }) => value as ReturnType<DeliveryClaim['due']>));
      return found.some((places) => places.length > 0);
    });
    scene.clock.advance(65_000);
    expect((await auditor.run()).map(({ kind }) => kind)).toEqual(['message_overdue']);
    await auditor.tick();
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
