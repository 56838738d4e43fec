import { Global, Module } from '@nestjs/common';
import { SecretBox } from './secret-box';
import { SecretKeysCheck } from './secret-keys-check';
import { SecretRotation } from './secret-rotation';

/** Encryption at rest for whatever module stores credentials. */
@Global()
@Module({ providers: [SecretBox, SecretKeysCheck, SecretRotation], exports: [SecretBox, SecretRotation] })
export class SecretsModule {}
