/** Finds optional packages, for packages above this one. */
export { findPackage } from '@heddle/tools/packages';
