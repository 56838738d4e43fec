import 'reflect-metadata';
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { loadConfig } from '../platform/config/config';
import { readEnvironment } from '../platform/config/environment-file';
import { ConfigModule } from '../platform/config/config.module';
import { DatabaseModule } from '../platform/database/database.module';
import { SecretRotation } from '../platform/secrets/secret-rotation';
import { SecretsModule } from '../platform/secrets/secrets.module';

/**
 * `npm run secrets:rotate`: seals every stored secret again under the first of `SECRETS_KEYS`. Takes the same variables
 * as the service. On PostgreSQL the service may keep running, if it was started with the new key first in the list. Ends
 * with 1 when a value could not be opened; the others are rotated all the same.
 */
async function rotateSecrets(): Promise<void> {
  const config = loadConfig(readEnvironment());
  if (config.secretsKeys.length === 0) throw new Error('SECRETS_KEYS is not set: there is no key to seal with');

  @Module({ imports: [ConfigModule.forRoot(config), DatabaseModule.forRoot(), SecretsModule] })
  class RotationModule {}

  const context = await NestFactory.createApplicationContext(RotationModule, {
    logger: ['error'],
    abortOnError: false,
  });
  try {
    for (const { table, column, rows, unreadable } of await context.get(SecretRotation).rotate()) {
      process.stdout.write(`${table}.${column}: ${rows} rows sealed again\n`);
      for (const { id, why } of unreadable) process.stderr.write(`${table}.${column} of ${id} was left: ${why}\n`);
      if (unreadable.length > 0) process.exitCode = 1;
    }
  } finally {
    await context.close();
  }
}

rotateSecrets().catch((error: unknown) => {
  process.stderr.write(`secrets:rotate failed: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
});
