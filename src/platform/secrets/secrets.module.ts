import { Global, Module } from '@nestjs/common';
import { SecretBox } from './secret-box';
import { SecretKeysCheck } from './secret-keys-check';
import { SecretRotation } from './secret-rotation';
import { ServerSecrets } from './server-secrets';

/** Provides encryption at rest to all modules that store credentials. */
@Global()
@Module({
  providers: [SecretBox, SecretKeysCheck, SecretRotation, ServerSecrets],
  exports: [SecretBox, SecretRotation, ServerSecrets],
})
export class SecretsModule {}
