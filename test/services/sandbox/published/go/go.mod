module pays

go 1.24
