one
end
