import { Injectable } from '@nestjs/common';
import { recordChange } from '../audit/audit-log';
import { ChannelSettings } from '../delivery/config/channel-settings';
import { ownerOf } from '../delivery/config/sealed-config';
import type { DeliveryTestView } from '../delivery/delivery.dto';
import { TestDeliveries } from '../delivery/send/test-deliveries';
import { testNotification, type TestSubject } from '../delivery/test-notification';
import type { Caller } from '../platform/access/caller';
import { WorkLimits } from '../platform/access/work-limits';
import { Database } from '../platform/database/database';
import { formatId, newUuid } from '../platform/ids/id';
import { problems } from '../platform/problem/problem';
import { Clock } from '../platform/time/clock';
import type { CreateContactDto } from './contact.dto';
import { Contact } from './contact.entity';

/** Sends a test through a contact. Only an audit log entry is stored, which is committed before anything is sent. */
@Injectable()
export class TestContactService {
  constructor(
    private readonly database: Database,
    private readonly channels: ChannelSettings,
    private readonly tests: TestDeliveries,
    private readonly limits: WorkLimits,
    private readonly clock: Clock,
  ) {}

  /**
   * Sends a test through an unsaved contact. Throws: the same errors as creating it, except for quotas, and
   * `rate_limited` like `send`.
   */
  sendNew(
    caller: Caller,
    { name, type, config: sent }: CreateContactDto,
    left: AbortSignal,
  ): Promise<DeliveryTestView> {
    const { orgId } = caller;
    const { config, destination, masked } = this.channels.accept(caller, { type, config: sent });
    return this.limits.run(orgId, async () => {
      const id = newUuid();
      const after = { name, type, config: masked };
      await this.database.transaction((tx) =>
        recordChange(tx, { orgId, action: 'test', resource: 'contact', id, after }),
      );
      const notification = testNotification(subjectOf({ id, name }), newUuid(), this.clock.now());
      return this.tests.sendUnsaved({ caller, channelType: type, destination, config, notification, signal: left });
    });
  }

  /** Throws: `not_found`, and `rate_limited` after ten tests per minute to one destination or beyond `WorkLimits`. */
  send(caller: Caller, id: string, left: AbortSignal): Promise<DeliveryTestView> {
    const { orgId } = caller;
    return this.limits.run(orgId, async () => {
      const contact = await this.database.manager.findOneBy(Contact, { orgId, id });
      if (!contact) throw problems.notFound();
      const config = this.channels.opened(ownerOf('', id), contact.config);
      if (config === null) throw problems.conflict('The stored config cannot be read. Save the contact again.');
      await this.database.transaction((tx) => recordChange(tx, { orgId, action: 'test', resource: 'contact', id }));
      const { type, destination } = contact;
      const notification = testNotification(subjectOf(contact), newUuid(), this.clock.now());
      return this.tests.sendUnsaved({ caller, channelType: type, destination, config, notification, signal: left });
    });
  }
}

/** A contact has no endpoint, so the message contains the name of the contact. */
const subjectOf = ({ id, name }: Pick<Contact, 'id' | 'name'>): TestSubject => ({
  contact: { id: formatId('contact', id), name },
  alert: { id: '', description: '' },
  endpoint: { id: '', name: '', url: '', type: '' },
  website: { id: '', name: '', url: '' },
  condition: 'down',
});
