import { Injectable, Module } from '@nestjs/common';
import { Test, type TestingModule } from '@nestjs/testing';
import { InjectRepository, TypeOrmModule } from '@nestjs/typeorm';
import { Column, Entity, PrimaryColumn, Repository } from 'typeorm';
import { Config } from '../../../src/platform/config/config';
import { ConfigModule } from '../../../src/platform/config/config.module';
import { Database, WorkerDatabase } from '../../../src/platform/database/database';
import { DatabaseModule } from '../../../src/platform/database/database.module';
import { freshDatabase, type TestDatabase } from '../../harness/database/database';

@Entity('organization')
class Organization {
  @PrimaryColumn('uuid') id!: string;
  @Column('varchar') name!: string;
}

@Injectable()
class Organizations {
  constructor(@InjectRepository(Organization) readonly repository: Repository<Organization>) {}
}

@Module({ imports: [TypeOrmModule.forFeature([Organization])], providers: [Organizations] })
class FeatureModule {}

const application = async (url: string): Promise<TestingModule> => {
  const config = Object.assign(new Config(), { databaseUrl: url });
  const module = await Test.createTestingModule({
    imports: [ConfigModule.forRoot(config), DatabaseModule.forRoot(), FeatureModule],
  }).compile();
  return module.init();
};

describe('DatabaseModule', () => {
  let fresh: TestDatabase;
  let app: TestingModule;

  beforeAll(async () => {
    fresh = await freshDatabase();
    app = await application(fresh.url);
  });
  afterAll(async () => {
    await app.close();
    await fresh.drop();
  });

  it('gives both pools the migrated schema', async () => {
    const sql = `SELECT count(*)::int AS count FROM organization`;
    expect(await app.get(Database).query(sql)).toEqual([{ count: 0 }]);
    expect(await app.get(WorkerDatabase).query(sql)).toEqual([{ count: 0 }]);
  });

  it('provides the TypeORM repositories of feature modules', async () => {
    const { repository } = app.get(Organizations);
    const id = '01890a5d-ac96-774b-bcce-b302099a8057';
    await repository.insert({ id, name: 'one' });
    expect(await repository.findOneByOrFail({ id })).toEqual({ id, name: 'one' });
    const known = await app.get(WorkerDatabase).transaction((tx) => tx.manager.findBy(Organization, { id }));
    expect(known).toHaveLength(1);
    await repository.delete({ id });
  });

  it('rolls back a failed transaction', async () => {
    const database = app.get(Database);
    const failed = database.transaction(async (tx) => {
      await tx.query(`INSERT INTO organization (id, name) VALUES (gen_random_uuid(), 'lost')`);
      throw new Error('on purpose');
    });
    await expect(failed).rejects.toThrow('on purpose');
    expect(await database.query(`SELECT name FROM organization WHERE name = 'lost'`)).toEqual([]);
  });

  it('isolates 300 read-modify-write transactions, thirty at a time', async () => {
    const database = app.get(WorkerDatabase);
    await database.query(`CREATE TABLE counter (value integer NOT NULL)`);
    await database.query(`INSERT INTO counter VALUES (0)`);
    const increment = (): Promise<void> =>
      database.transaction(async (tx) => {
        const [row] = await tx.query<{ value: number }>(`SELECT value FROM counter FOR UPDATE`);
        await tx.query(`UPDATE counter SET value = $1`, [(row?.value ?? 0) + 1]);
      });
    for (let round = 0; round < 10; round++) await Promise.all(Array.from({ length: 30 }, increment));
    expect(await database.query(`SELECT value FROM counter`)).toEqual([{ value: 300 }]);
  });
});
