"""Audits: measure how much privacy an algorithm really loses, and compare this with its promise."""
