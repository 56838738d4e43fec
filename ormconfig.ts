import 'reflect-metadata';
import { DataSource, Entity, JoinColumn, ManyToOne, PrimaryColumn } from 'typeorm';
import { AlertEvent } from './src/alert/event/alert-event.entity';
import { Alert } from './src/alert/alert.entity';
import { Contact } from './src/contact/contact.entity';
import { Endpoint } from './src/endpoint/endpoint.entity';
import { loadConfig } from './src/platform/config/config';
import { dataSourceOptions, type PostgresOptions } from './src/platform/database/data-source-options';
import { DatabaseServer } from './src/platform/database/database-server';
import { Website } from './src/website/website.entity';

/** Organizations are read and written in SQL. The model only needs the table as the target of relations. */
@Entity('organization', { synchronize: false })
class OrganizationTable {
  @PrimaryColumn('uuid')
  id!: string;
}
ManyToOne(() => OrganizationTable, { onDelete: 'CASCADE' })(Website.prototype, 'organization');
JoinColumn({ name: 'org_id', foreignKeyConstraintName: 'website_org_id_fkey' })(Website.prototype, 'organization');
ManyToOne(() => OrganizationTable, { onDelete: 'CASCADE' })(Contact.prototype, 'organization');
JoinColumn({ name: 'org_id', foreignKeyConstraintName: 'contact_org_id_fkey' })(Contact.prototype, 'organization');

/** Every entity, so that `migration:generate` sees the whole model. Tables without an entity are left alone. */
const entities = [OrganizationTable, Website, Endpoint, Contact, Alert, AlertEvent];

/** Stops the embedded database, if there is one, together with the connection. */
class CommandLineDataSource extends DataSource {
  constructor(
    options: PostgresOptions,
    private readonly server: DatabaseServer,
  ) {
    super(options);
  }

  override async destroy(): Promise<void> {
    await super.destroy();
    await this.server.close();
  }
}

async function open(): Promise<DataSource> {
  const server = await DatabaseServer.open(loadConfig(process.env));
  const pool = { size: 1, name: 'uptime-monitor migrations', queryTimeoutMs: 0, entities };
  return new CommandLineDataSource(dataSourceOptions(server.target, pool), server);
}

/** Used by `npm run migration:generate|run|revert`: the service's database, from the same variables. */
export default open();
