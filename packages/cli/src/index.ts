/** `heddle` as a library: an agent in a few lines. */
export { type Agent, type AgentOptions, createAgent } from '@heddle/agent';
