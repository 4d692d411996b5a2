/**
 * The settings that Heddle uses, with their allowed values. Other keys of a file belong to other programs and are kept.
 */
import { isJsonObject, type Json } from '@heddle/core';
import { isModelSettings } from './model-settings.ts';

export interface KnownSetting {
  readonly meaning: string;
  /** Describes the allowed values for an error message. */
  readonly expects: string;
  readonly accepts: (value: Json) => boolean;
}

const text: Kind = { expects: 'a text', accepts: (value) => typeof value === 'string' };
const texts: Kind = {
  expects: 'a list of texts',
  accepts: (value) => Array.isArray(value) && value.every((item) => typeof item === 'string'),
};
const textOrTexts: Kind = {
  expects: 'a text or a list of texts',
  accepts: (value) => text.accepts(value) || texts.accepts(value),
};
const flag: Kind = { expects: 'true or false', accepts: (value) => typeof value === 'boolean' };
const count: Kind = {
  expects: 'a whole number over 0',
  accepts: (value) => typeof value === 'number' && Number.isInteger(value) && value > 0,
};
const environment: Kind = {
  expects: 'an object of texts',
  accepts: (value) => isJsonObject(value) && Object.values(value).every((item) => typeof item === 'string'),
};

type Kind = Pick<KnownSetting, 'expects' | 'accepts'>;

function oneOf(...words: readonly string[]): Kind {
  return {
    expects: `one of ${words.join(', ')}`,
    accepts: (value) => typeof value === 'string' && words.includes(value),
  };
}

export const KNOWN_SETTINGS: Readonly<Record<string, KnownSetting>> = {
  model: { ...text, meaning: 'the model that is used when none is named' },
  fallbackModel: { ...textOrTexts, meaning: 'the models that take over when the first one is overloaded' },
  effortLevel: {
    ...oneOf('low', 'medium', 'high', 'xhigh', 'max'),
    meaning: 'how much work the model puts into an answer',
  },
  alwaysThinkingEnabled: { ...flag, meaning: 'whether models that can think do so; true unless it is set' },
  models: {
    expects: 'an object of models, each with contextWindow, maxOutputTokens, thinking or prices',
    accepts: isModelSettings,
    meaning: 'the window, output, thinking and prices of models',
  },
  env: { ...environment, meaning: 'variables for the session and its commands' },
  claudeMdExcludes: { ...texts, meaning: 'patterns of instruction files that are not read' },
  autoCompactEnabled: { ...flag, meaning: 'whether a full window is compacted by itself' },
  reactiveCompactEnabled: {
    ...flag,
    meaning:
      'whether a request that did not fit is followed by a compaction; as autoCompactEnabled if absent',
  },
  autoCompactWindow: { ...count, meaning: 'the window, in tokens, that compaction assumes' },
  'permissions.allow': { ...texts, meaning: 'what may run unasked' },
  'permissions.ask': { ...texts, meaning: 'what is always asked about' },
  'permissions.deny': { ...texts, meaning: 'what never runs' },
  'permissions.defaultMode': {
    ...oneOf('default', 'acceptEdits', 'plan', 'dontAsk', 'bypassPermissions'),
    meaning: 'the permission mode a session starts in',
  },
  'permissions.additionalDirectories': { ...texts, meaning: 'folders beside the working directory' },
  'permissions.disableBypassPermissionsMode': {
    ...oneOf('disable'),
    meaning: 'forbids the mode bypassPermissions',
  },
  'sandbox.enabled': { ...flag, meaning: 'whether commands run in the sandbox' },
  'sandbox.failIfUnavailable': { ...flag, meaning: 'whether a start without the sandbox is refused' },
  'sandbox.autoAllowBashIfSandboxed': { ...flag, meaning: 'whether sandboxed commands run unasked' },
  'sandbox.allowUnsandboxedCommands': { ...flag, meaning: 'whether the model may ask to leave the sandbox' },
  'sandbox.excludedCommands': { ...texts, meaning: 'commands that run outside the sandbox' },
  'sandbox.filesystem.allowWrite': { ...texts, meaning: 'more places that sandboxed commands may write' },
  'sandbox.filesystem.denyWrite': { ...texts, meaning: 'places that sandboxed commands may not write' },
  'sandbox.filesystem.denyRead': { ...texts, meaning: 'places that sandboxed commands may not read' },
  'sandbox.filesystem.allowRead': { ...texts, meaning: 'exceptions from what may not be read' },
  'sandbox.readOnlyView': {
    ...oneOf('auto', 'off'),
    meaning: 'whether commands proven to only read run in a read-only view',
  },
  'sandbox.network.allowedDomains': { ...texts, meaning: 'hosts that sandboxed commands may reach' },
  'sandbox.network.deniedDomains': { ...texts, meaning: 'hosts that sandboxed commands may never reach' },
};
