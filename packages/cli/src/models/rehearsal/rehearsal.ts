/**
 * The rehearsal model needs no network and no key. A keyword in the prompt selects a scene, and the scene makes the calls
 * that a model would make. The tools and permissions are real. The model is deterministic.
 */
import type { ModelRequest } from '@heddle/core';
import { say, type ScriptStep } from '@heddle/testing';
import { chatScene, SCENES } from './scenes.ts';
import { situationOf } from './situation.ts';

export function rehearsal(request: ModelRequest): ScriptStep {
  const situation = situationOf(request);
  if (situation.isHandoff) return say(HANDOFF);
  const scene = SCENES.find(({ word }) => new RegExp(String.raw`\b${word}\b`, 'i').test(situation.firstLine));
  return (scene?.play ?? chatScene)(situation);
}

const HANDOFF = `## Intent
To rehearse.

## Decisions
None.

## Files
None that matter.

## Errors and fixes
None.

## State of work
The rehearsal continues.

## Next step
Wait for the next prompt.`;
