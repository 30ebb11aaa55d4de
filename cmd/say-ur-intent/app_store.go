package main

import "github.com/sayurintent/sayurintent/store"

// Services that need several areas of the store get them as one value.
type (
	reviewRows struct {
		store.Reviews
		store.Freeze
	}
	requestRows struct {
		store.Requests
		store.Reviews
	}
	planRows struct {
		store.Plans
		store.Conversations
	}
	actionRows struct {
		store.Actions
		store.AddressBook
		store.WatchLists
	}
	settingRows struct {
		store.SavedSettings
		store.Freeze
	}
	backupRows struct {
		store.Backups
		store.Reviews
	}
)
