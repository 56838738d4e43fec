import {
  Body,
  Controller,
  Delete,
  Get,
  HttpCode,
  Inject,
  Injectable,
  Module,
  Param,
  Post,
  Query,
} from '@nestjs/common';
import {
  ApiCreatedResponse,
  ApiNoContentResponse,
  ApiOkResponse,
  ApiOperation,
  ApiParam,
  ApiProperty,
  ApiTags,
} from '@nestjs/swagger';
import { TypeOrmModule } from '@nestjs/typeorm';
import { IsInt, Matches, Max, Min } from 'class-validator';
import { Column, Entity, type MigrationInterface, PrimaryColumn, type QueryRunner } from 'typeorm';
import { defineExtension, Env } from '../../../src/exports/index';
import {
  Access,
  BodyProblems,
  Clock,
  Cursors,
  Database,
  formatId,
  Idempotent,
  IsName,
  LocatedAt,
  newUuid,
  OrganizationPurge,
  OrgId,
  type Page,
  PageQuery,
  PrefixedIdPipe,
  Problems,
  problems,
  recordChange,
  RefusesIfMatch,
  selectColumns,
  TransactionEvents,
} from '../../../src/exports/module';

export class BillingSettings {
  @Env('BILLING_CURRENCY') @Matches(/^[A-Z]{3}$/, { message: 'must be three capital letters' }) currency = 'EUR';
}

@Entity('invoice')
export class Invoice {
  @PrimaryColumn('uuid')
  id!: string;

  @Column('uuid', { name: 'org_id' })
  orgId!: string;

  @Column('varchar', { length: 100 })
  title!: string;

  @Column('int')
  cents!: number;

  @Column('timestamptz', { name: 'created_at' })
  createdAt!: Date;
}

export class CreateInvoiceDto {
  @ApiProperty({ example: 'November', maxLength: 100 })
  @IsName(100)
  title!: string;

  @ApiProperty({ example: 4200, minimum: 1, maximum: 1_000_000 })
  @IsInt()
  @Min(1)
  @Max(1_000_000)
  cents!: number;
}

export class InvoiceView {
  @ApiProperty({ example: 'invc_01jd3k6q7be5y9x4v2m8n0r1st' })
  id!: string;
  @ApiProperty({ example: 'November' })
  title!: string;
  @ApiProperty({ example: 4200 })
  cents!: number;
  @ApiProperty({ example: 'EUR' })
  currency!: string;
}

const COLUMNS = selectColumns(Invoice, 'i');

@Injectable()
export class InvoiceService {
  constructor(
    @Inject(BillingSettings) private readonly settings: BillingSettings,
    private readonly database: Database,
    private readonly cursors: Cursors,
    private readonly clock: Clock,
    events: TransactionEvents,
  ) {
    events.on(OrganizationPurge, async ({ orgId }, tx) => {
      await tx.query('DELETE FROM invoice WHERE org_id = $1', [orgId]);
    });
  }

  async list(orgId: string, { cursor, limit }: PageQuery): Promise<Page<InvoiceView>> {
    const page = await this.cursors.paginate({
      orgId,
      list: 'invoices',
      cursor,
      limit: limit ?? 100,
      rowsAtOnce: 100,
      read: (after, count) =>
        this.database.query<Invoice>(
          `SELECT ${COLUMNS} FROM invoice i WHERE org_id = $1 AND ($2::uuid IS NULL OR id > $2) ORDER BY id LIMIT $3`,
          [orgId, after, count],
        ),
      idOf: ({ id }) => id,
    });
    return page.map((row) => this.view(row));
  }

  create(orgId: string, { title, cents }: CreateInvoiceDto): Promise<InvoiceView> {
    return this.database.transaction(async (tx) => {
      const invoice = { id: newUuid(), orgId, title, cents, createdAt: this.clock.now() };
      await tx.manager.insert(Invoice, invoice);
      await recordChange(tx, {
        orgId,
        resource: 'invoice',
        id: invoice.id,
        action: 'create',
        after: this.view(invoice),
      });
      return this.view(invoice);
    });
  }

  remove(orgId: string, id: string): Promise<void> {
    return this.database.transaction(async (tx) => {
      const invoice = await tx.manager.findOne(Invoice, { where: { orgId, id }, lock: { mode: 'pessimistic_write' } });
      if (!invoice) throw problems.notFound();
      await tx.manager.delete(Invoice, { id });
      await recordChange(tx, { orgId, resource: 'invoice', id, action: 'delete', before: this.view(invoice) });
    });
  }

  private view({ id, title, cents }: Invoice): InvoiceView {
    return { id: formatId('invoice', id), title, cents, currency: this.settings.currency };
  }
}

@ApiTags('Invoices')
@Controller('api/v1/invoices')
export class InvoiceController {
  constructor(private readonly invoices: InvoiceService) {}

  @Get()
  @Access('read')
  @ApiOperation({ operationId: 'listInvoices', summary: 'List invoices' })
  @ApiOkResponse({ type: InvoiceView, isArray: true })
  @Problems('invalid_query', 'invalid_cursor')
  list(@OrgId() orgId: string, @Query() query: PageQuery): Promise<Page<InvoiceView>> {
    return this.invoices.list(orgId, query);
  }

  @Post()
  @Access('write')
  @LocatedAt('/api/v1/invoices')
  @Idempotent()
  @ApiOperation({ operationId: 'createInvoice', summary: 'Make an invoice' })
  @ApiCreatedResponse({ type: InvoiceView })
  @BodyProblems()
  create(@OrgId() orgId: string, @Body() dto: CreateInvoiceDto): Promise<InvoiceView> {
    return this.invoices.create(orgId, dto);
  }

  @Delete(':id')
  @Access('admin')
  @RefusesIfMatch('An invoice never changes.')
  @HttpCode(204)
  @ApiParam({ name: 'id', example: 'invc_01jd3k6q7be5y9x4v2m8n0r1st' })
  @ApiOperation({ operationId: 'deleteInvoice', summary: 'Delete an invoice' })
  @ApiNoContentResponse({ description: 'It is deleted.' })
  @Problems('not_found')
  remove(@OrgId() orgId: string, @Param('id', new PrefixedIdPipe('invoice')) id: string): Promise<void> {
    return this.invoices.remove(orgId, id);
  }
}

@Module({
  imports: [TypeOrmModule.forFeature([Invoice])],
  controllers: [InvoiceController],
  providers: [InvoiceService],
})
export class BillingModule {}

export class Invoices1800000000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`CREATE TABLE invoice (
      id uuid PRIMARY KEY, org_id uuid NOT NULL, title varchar(100) NOT NULL, cents int NOT NULL, created_at timestamptz NOT NULL
    )`);
    await runner.query('CREATE INDEX invoice_of_org ON invoice (org_id, id)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE invoice');
  }
}

/** The export of a team's billing package. */
export const billing = defineExtension({
  name: 'billing',
  modules: [BillingModule],
  ids: { invoice: 'invc' },
  audited: ['invoice'],
  migrations: [Invoices1800000000000],
  settings: BillingSettings,
});
