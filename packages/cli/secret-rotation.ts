import 'reflect-metadata';
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { Config } from '../../src/platform/config/config';
import { ConfigModule } from '../../src/platform/config/config.module';
import { DatabaseModule } from '../../src/platform/database/database.module';
import { SecretRotation } from '../../src/platform/secrets/secret-rotation';
import { SecretsModule } from '../../src/platform/secrets/secrets.module';

/**
 * Re-encrypts every stored secret in the database and reports the result. The exit code is 1 if a value couldn't be
 * decrypted.
 */
export async function rotateIn(config: Config): Promise<0 | 1> {
  @Module({ imports: [ConfigModule.forRoot(config), DatabaseModule.forRoot(), SecretsModule] })
  class RotationModule {}

  const context = await NestFactory.createApplicationContext(RotationModule, {
    logger: ['error'],
    abortOnError: false,
  });
  let exitCode: 0 | 1 = 0;
  try {
    for (const { table, column, rows, unreadable } of await context.get(SecretRotation).rotate()) {
      process.stdout.write(`${table}.${column}: ${rows} rows encrypted again\n`);
      for (const { id, why } of unreadable)
        process.stderr.write(`${table}.${column} of ${id} was not changed: ${why}\n`);
      if (unreadable.length > 0) exitCode = 1;
    }
  } finally {
    await context.close();
  }
  return exitCode;
}
