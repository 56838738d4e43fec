import { Module, type OnModuleInit } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { ChannelModule } from '../channel/channel.module';
import { ChannelOpenApi } from '../delivery/config/channel-openapi';
import { DeliveryModule } from '../delivery/delivery.module';
import { OrganizationPurge } from '../identity/organization/organization-events';
import type { Tx } from '../platform/database/database';
import { TransactionEvents } from '../platform/events/transaction-events';
import { ContactView, CreateContactDto, UpdateContactDto } from './contact.dto';
import { ContactPreviewService } from './contact-preview.service';
import { ContactController } from './contact.controller';
import { Contact } from './contact.entity';
import { ContactService } from './contact.service';
import { ContactStore } from './contact-store';
import { FailingContactsJob } from './failing-contacts.job';
import { TestContactService } from './test-contact.service';

@Module({
  imports: [TypeOrmModule.forFeature([Contact]), ChannelModule, DeliveryModule],
  controllers: [ContactController],
  providers: [ContactService, ContactStore, TestContactService, ContactPreviewService, FailingContactsJob],
  exports: [ContactStore, ContactService],
})
export class ContactModule implements OnModuleInit {
  constructor(
    private readonly events: TransactionEvents,
    private readonly channels: ChannelOpenApi,
  ) {}

  onModuleInit(): void {
    this.channels.add({ noun: 'Contact', create: CreateContactDto, update: UpdateContactDto, view: ContactView });
    this.events.on(OrganizationPurge, removeUnused);
  }
}

const BATCH = 500;

/**
 * Runs one step of removing a deleted organization. Alerts are deleted together with their endpoints, and the contacts
 * after them.
 */
async function removeUnused(step: OrganizationPurge, tx: Tx): Promise<void> {
  await tx.query(
    `DELETE FROM contact WHERE id IN (
       SELECT c.id FROM contact c
        WHERE c.org_id = $1 AND NOT EXISTS (SELECT FROM alert a WHERE a.contact_id = c.id) LIMIT ${BATCH})`,
    [step.orgId],
  );
  const [left] = await tx.query('SELECT FROM contact WHERE org_id = $1 LIMIT 1', [step.orgId]);
  if (left) step.leave();
}
