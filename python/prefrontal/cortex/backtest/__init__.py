"""Replay a stream of ratings through ledger, triggers and clamp: what would have been believed?"""
