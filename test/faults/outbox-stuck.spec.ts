import { SchedulerRegistry } from '@nestjs/schedule';
import { AlertAuditor } from '../../src/alert/alert-auditor';
import { armFailpoints } from '../../src/platform/observability/failpoints';
import { DeliveryScene } from '../harness/delivery-scene';
import { HttpSink } from '../harness/http-sink';

describe('deliveries that are silently stuck', () => {
  it('are found within two minutes: the audit fails, the heartbeat stops, liveness asks for a restart', async () => {
    const heartbeat = await HttpSink.start();
    const scene = await DeliveryScene.start({ heartbeatUrl: heartbeat.url });
    const auditor = scene.nest.get(AlertAuditor);
    await scene.nest.get(SchedulerRegistry).getCronJob('alert-audit').stop();
    const alert = await scene.alert('webhook');
    await auditor.tick();
    expect(heartbeat.seen).toHaveLength(1);
    expect((await fetch(`${scene.app.url}/health/live`)).status).toBe(200);

    armFailpoints(['outbox.before_claim=hang']);
    await scene.report('F', alert);
    scene.clock.advance(65_000);
    expect((await auditor.run()).map(({ kind }) => kind)).toEqual(['message_overdue']);
    await auditor.tick();
    expect(heartbeat.seen).toHaveLength(1);
    scene.clock.advance(45_000);
    const live = await fetch(`${scene.app.url}/health/live`);
    expect(live.status).toBe(503);
    expect(await live.text()).toContain('deliveries');

    armFailpoints([]);
    await scene.close();
    await heartbeat.close();
  }, 60_000);
});
